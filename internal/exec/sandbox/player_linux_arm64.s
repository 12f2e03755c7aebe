#include "textflag.h"

// The player for arm64: the same program as player_linux_amd64.s, word for word.
//
//	R19  the op being played
//	R20  where ops begin
//	R21  where data begins
//	R22  the caller's stack
TEXT ·player(SB), NOSPLIT|NOFRAME, $0
	CBNZ R0, called         // a new process begins with zeros
	MOVD $0x800000, R20
	MOVD $0x4000000, R21
	MOVD R20, R19
	B    play

called:
	SUB  $64, RSP
	STP  (R19, R20), 0(RSP)
	STP  (R21, R22), 16(RSP)
	STP  (R29, R30), 32(RSP)
	MOVD R0, R20
	MOVD R1, R21
	MOVD RSP, R22
	MOVD R20, R19

play:
	MOVWU 0(R19), R8
	MOVD  8(R19), R0
	MOVD  16(R19), R1
	MOVD  24(R19), R2
	MOVD  32(R19), R3
	MOVD  40(R19), R4
	MOVD  48(R19), R5
	MOVBU 4(R19), R9

	// an argument whose bit is set is the address of a 32-bit value
	TBZ  $0, R9, a1
	MOVW (R0), R0
a1:
	TBZ  $1, R9, a2
	MOVW (R1), R1
a2:
	TBZ  $2, R9, a3
	MOVW (R2), R2
a3:
	TBZ  $3, R9, a4
	MOVW (R3), R3
a4:
	TBZ  $4, R9, ready
	MOVW (R4), R4

ready:
	MOVD $0xffffffff, R10
	CMP  R10, R8
	BEQ  check
	MOVD $0xfffffffe, R10
	CMP  R10, R8
	BEQ  function
	MOVD $0xfffffffd, R10
	CMP  R10, R8
	BEQ  return
	SVC

done:
	CMN  $4095, R0          // unsigned: the kernel's -errno
	BCS  refused

	MOVD 56(R19), R10       // keep the result
	CBZ  R10, judge
	MOVW R0, (R10)

judge:
	MOVBU 5(R19), R9
	CMP   $1, R9
	BEQ   exact
	CMP   $2, R9
	BEQ   until

branch:
	CBNZ  R0, advance
	MOVWU 68(R19), R10      // a result of 0 may lead elsewhere
	CBNZ  R10, jump

advance:
	ADD $80, R19
	B   play

jump:
	MOVD $80, R11
	MUL  R11, R10
	ADD  R20, R10, R19
	B    play

exact:
	MOVD 72(R19), R10
	CMP  R10, R0
	BEQ  branch
	MOVD $32, R0            // EPIPE: less than was asked for
	B    fail

until:
	MOVD 72(R19), R10       // play it again until the result is the value kept there
	MOVW (R10), R10
	CMP  R10, R0
	BNE  play
	B    advance

check:
	MOVD (R0), R0           // value at arg 0, masked with arg 1, must be arg 2; else errno arg 3
	AND  R1, R0
	CMP  R2, R0
	BEQ  advance
	MOVD R3, R0
	B    fail

function:
	MOVD  R0, R9            // the function at arg 0 of args 1 to 3, its int result as a call's
	MOVD  R1, R0
	MOVD  R2, R1
	MOVD  R3, R2
	CALL  (R9)
	SXTW  R0, R0
	MOVBU 5(R19), R9
	CMP   $3, R9            // unless it has none
	BEQ   advance
	B     done

return:
	MOVD R22, RSP           // arg 0, to the caller
	LDP  0(RSP), (R19, R20)
	LDP  16(RSP), (R21, R22)
	LDP  32(RSP), (R29, R30)
	ADD  $64, RSP
	RET

refused:
	NEG   R0, R0
	MOVHU 6(R19), R10       // one errno may be foreseen, or any, which is kept
	MOVD  $0xffff, R11
	CMP   R11, R10
	BEQ   any
	CMP   R10, R0
	BNE   fail

foreseen:
	MOVWU 64(R19), R10
	CBNZ  R10, jump
	B     advance

any:
	NEG  R0, R0
	MOVD 56(R19), R10
	MOVW R0, (R10)
	B    foreseen

fail:
	MOVD R21, R1            // tell which op and which errno on descriptor 3
	MOVD R19, 0(R1)
	MOVD R0, 8(R1)
	MOVD $64, R8            // write
	MOVD $3, R0
	MOVD $16, R2
	SVC
	MOVD $94, R8            // exit_group
	MOVD $70, R0
	SVC
	UNDEF

	// the end mark: playerEnd in player_linux.go
	WORD $0x75727970
	WORD $0x6e652d6e

TEXT ·playerStart(SB), NOSPLIT, $0-8
	MOVD $·player(SB), R0
	MOVD R0, ret+0(FP)
	RET
