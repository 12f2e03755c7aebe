#include "textflag.h"

// The player: pid 1's whole program, and pid 2's until it becomes the script.
// It is never called by Go. player_linux.go copies its bytes into a sealed
// memory file; that is started as a program, or mapped by a zygote and called
// as a C function of two addresses: ops and data. See program_linux.go for the
// op it plays.
//
//	R13  the op being played
//	R12  where ops begin
//	R15  where data begins
//	R14  the caller's stack
//
// Everything is position independent. A program touches no stack.
TEXT ·player(SB), NOSPLIT|NOFRAME, $0
	TESTQ DI, DI            // a new process begins with zeros
	JNZ   called
	MOVQ  $0x800000, R12
	MOVQ  $0x4000000, R15
	MOVQ  R12, R13
	JMP   play

called:
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	PUSHQ AX                // calls out want the stack aligned
	MOVQ  DI, R12
	MOVQ  SI, R15
	MOVQ  SP, R14
	MOVQ  R12, R13

play:
	MOVL    0(R13), AX
	MOVQ    8(R13), DI
	MOVQ    16(R13), SI
	MOVQ    24(R13), DX
	MOVQ    32(R13), R10
	MOVQ    40(R13), R8
	MOVQ    48(R13), R9
	MOVBLZX 4(R13), BX

	// an argument whose bit is set is the address of a 32-bit value
	TESTL   $1, BX
	JZ      a1
	MOVLQSX (DI), DI
a1:
	TESTL   $2, BX
	JZ      a2
	MOVLQSX (SI), SI
a2:
	TESTL   $4, BX
	JZ      a3
	MOVLQSX (DX), DX
a3:
	TESTL   $8, BX
	JZ      a4
	MOVLQSX (R10), R10
a4:
	TESTL   $16, BX
	JZ      ready
	MOVLQSX (R8), R8

ready:
	CMPL AX, $-1
	JEQ  check
	CMPL AX, $-2
	JEQ  function
	CMPL AX, $-3
	JEQ  return
	SYSCALL

done:
	CMPQ AX, $-4095
	JCC  refused            // unsigned: the kernel's -errno

	MOVQ  56(R13), CX       // keep the result
	TESTQ CX, CX
	JZ    judge
	MOVL  AX, (CX)

judge:
	MOVBLZX 5(R13), BX
	CMPL    BX, $1
	JEQ     exact
	CMPL    BX, $2
	JEQ     until

branch:
	TESTQ AX, AX
	JNZ   advance
	MOVL  68(R13), CX       // a result of 0 may lead elsewhere
	TESTL CX, CX
	JNZ   jump

advance:
	ADDQ $80, R13
	JMP  play

jump:
	IMULQ $80, CX
	ADDQ  R12, CX
	MOVQ  CX, R13
	JMP   play

exact:
	CMPQ AX, 72(R13)
	JEQ  branch
	MOVL $32, AX            // EPIPE: less than was asked for
	JMP  fail

until:
	MOVQ    72(R13), CX     // play it again until the result is the value kept there
	MOVLQSX (CX), CX
	CMPQ    AX, CX
	JNE     play
	JMP     advance

check:
	MOVQ (DI), DI           // value at arg 0, masked with arg 1, must be arg 2; else errno arg 3
	ANDQ SI, DI
	CMPQ DI, DX
	JEQ  advance
	MOVQ R10, AX
	JMP  fail

function:
	MOVQ    DI, AX          // the function at arg 0 of args 1 to 3, its int result as a call's
	MOVQ    SI, DI
	MOVQ    DX, SI
	MOVQ    R10, DX
	CALL    AX
	MOVLQSX AX, AX
	MOVBLZX 5(R13), BX
	CMPL    BX, $3          // unless it has none
	JEQ     advance
	JMP     done

return:
	MOVQ DI, AX             // arg 0, to the caller
	MOVQ R14, SP
	POPQ CX
	POPQ R15
	POPQ R14
	POPQ R13
	POPQ R12
	POPQ BX
	POPQ BP
	RET

refused:
	NEGQ    AX
	MOVWLZX 6(R13), CX      // one errno may be foreseen, or any, which is kept
	CMPL    CX, $0xffff
	JEQ     any
	CMPL    AX, CX
	JNE     fail

foreseen:
	MOVL    64(R13), CX
	TESTL   CX, CX
	JNZ     jump
	JMP     advance

any:
	NEGQ AX
	MOVQ 56(R13), CX
	MOVL AX, (CX)
	JMP  foreseen

fail:
	MOVQ R15, SI            // tell which op and which errno on descriptor 3
	MOVQ R13, 0(SI)
	MOVQ AX, 8(SI)
	MOVL $1, AX
	MOVL $3, DI
	MOVL $16, DX
	SYSCALL
	MOVL $231, AX           // exit_group
	MOVL $70, DI
	SYSCALL
	UNDEF

	// the end mark: playerEnd in player_linux.go
	BYTE $0x70; BYTE $0x79; BYTE $0x72; BYTE $0x75
	BYTE $0x6e; BYTE $0x2d; BYTE $0x65; BYTE $0x6e

TEXT ·playerStart(SB), NOSPLIT, $0-8
	LEAQ ·player(SB), AX
	MOVQ AX, ret+0(FP)
	RET
