package config

// This file holds the words people write for sizes, times and yes or no, and
// how we write them back. Flags are read with the same functions.

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// ParseSize reads a number of bytes: "512M", "1.5 GiB", "1G", "4096". Units are
// powers of 1024 however they are spelled (K, KB, KiB, up to T), in any case.
// The result is at least 0; a part of a byte is dropped.
func ParseSize(s string) (int64, error) {
	bad := func() (int64, error) {
		return 0, fmt.Errorf("%q is not a size; write 512M, 1G or a number of bytes", s)
	}
	text := strings.TrimSpace(s)
	end := strings.LastIndexAny(text, "0123456789") + 1
	shift, ok := unitShift(strings.TrimLeft(text[end:], " "))
	if !ok {
		return bad()
	}
	whole, fraction, dotted := strings.Cut(text[:end], ".")
	if !digits(whole) || (dotted && (!digits(fraction) || len(fraction) > 9 || shift == 0)) {
		return bad()
	}
	tooLarge := fmt.Errorf("%q is more than any machine has; write 512M, 1G or a number of bytes", s)
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, tooLarge
	}
	size := n << shift
	if dotted {
		f, _ := strconv.ParseUint(fraction, 10, 64) // at most nine digits
		hi, lo := bits.Mul64(f, 1<<shift)
		part, _ := bits.Div64(hi, lo, powerOfTen(len(fraction)))
		size += part
	}
	if size > math.MaxInt64 {
		return 0, tooLarge
	}
	return int64(size), nil
}

func unitShift(unit string) (shift uint, ok bool) {
	switch strings.ToUpper(unit) {
	case "", "B":
		return 0, true
	case "K", "KB", "KIB":
		return 10, true
	case "M", "MB", "MIB":
		return 20, true
	case "G", "GB", "GIB":
		return 30, true
	case "T", "TB", "TIB":
		return 40, true
	}
	return 0, false
}

// FormatSize writes n so that ParseSize gives n again: "512 MiB", "1500".
func FormatSize(n int64) string {
	if n <= 0 {
		return strconv.FormatInt(n, 10)
	}
	units := [...]string{"", " KiB", " MiB", " GiB", " TiB"}
	i := 0
	for n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return strconv.FormatInt(n, 10) + units[i]
}

// ParseDuration reads a time: seconds when it is a plain number ("30", "1.5"),
// else Go's way ("10s", "2m", "1h30m", "500ms"). The result is at least 0.
func ParseDuration(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	bad := fmt.Errorf("%q is not a time; write 10s, 2m or a number of seconds", s)
	tooLong := fmt.Errorf("%q is too long a time; write 10s, 2m or a number of seconds", s)
	whole, fraction, dotted := strings.Cut(text, ".")
	if digits(whole) && (!dotted || digits(fraction)) {
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || n > int64(math.MaxInt64/time.Second) {
			return 0, tooLong
		}
		text += "s"
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && looksTooLong(text):
		return 0, tooLong
	case err != nil, d < 0, text == "", text[0] == '+', text[0] == '-':
		return 0, bad
	}
	return d, nil
}

// looksTooLong tells an overflow from a typing mistake: the same text with
// every number cut down to one digit would have been a time.
func looksTooLong(text string) bool {
	var b strings.Builder
	last := false
	for _, r := range text {
		digit := r >= '0' && r <= '9'
		if !digit || !last {
			b.WriteRune(r)
		}
		last = digit
	}
	_, err := time.ParseDuration(b.String())
	return err == nil
}

// FormatDuration writes d so that ParseDuration gives d again: "30s", "5m".
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// ParseBool reads 1, true, yes, on, 0, false, no, off, in any case.
func ParseBool(s string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false; write true or false", s)
}

func parseInt(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is too large a number", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return n, nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func powerOfTen(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}
