package config

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"0": 0, "1": 1, "4096": 4096, "10B": 10, "1k": 1024, "1K": 1024, "1KB": 1024, "1KiB": 1024,
		"512M": 512 << 20, "512MiB": 512 << 20, "512 MiB": 512 << 20, "512mb": 512 << 20, " 512M ": 512 << 20,
		"1G": 1 << 30, "2T": 2 << 40, "1.5G": 3 << 29, "0.5K": 512, "0.3K": 307, "1.000000001G": 1<<30 + 1,
		"9223372036854775807": math.MaxInt64, "8388607T": 8388607 << 40, "8388607.999T": 8388607<<40 + 1098412116148,
		"007": 7,
	}
	for in, want := range good {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", " ", "M", "12Q", "-1", "-1M", "+1", "1e3", "1e3x", "NaN", "Inf", "0x10", "1_000", "1,5G", "1.G", ".5G", "1.5", "1.5B",
		"1.2.3G", "1 2M", "1MM", "1.0000000001G", "١M", "1\x00M", "512M!", "1P",
	} {
		n, err := ParseSize(in)
		if err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", in, n)
		} else if !strings.HasSuffix(err.Error(), "is not a size; write 512M, 1G or a number of bytes") {
			t.Errorf("ParseSize(%q): %v", in, err)
		}
	}
	for _, in := range []string{"9223372036854775808", "8388608T", "99999999999999999999999G", "18446744073709551616"} {
		n, err := ParseSize(in)
		if err == nil || !strings.Contains(err.Error(), "more than any machine has") {
			t.Errorf("ParseSize(%q) = %d, %v; want too large", in, n, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"0": 0, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "10s": 10 * time.Second, "2m": 2 * time.Minute,
		"1h30m": 90 * time.Minute, "500ms": 500 * time.Millisecond, " 10s ": 10 * time.Second, "0s": 0,
		"1h0m0.5s": time.Hour + 500*time.Millisecond,
	}
	for in, want := range good {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", " ", "s", "-1", "-1s", "+5s", "1e9", "1e3", "NaN", "inf", "10q", "10 s s", "1:30", "1.2.3", "5.", "1d", "\x0010"} {
		d, err := ParseDuration(in)
		if err == nil || !strings.HasSuffix(err.Error(), "is not a time; write 10s, 2m or a number of seconds") {
			t.Errorf("ParseDuration(%q) = %v, %v; want not a time", in, d, err)
		}
	}
	for _, in := range []string{"99999999999", "9223372036854775808", "99999999999s", "3000000h", "99999999999999999999999999h"} {
		d, err := ParseDuration(in)
		if err == nil || !strings.Contains(err.Error(), "too long a time") {
			t.Errorf("ParseDuration(%q) = %v, %v; want too long", in, d, err)
		}
	}
}

func TestParseBool(t *testing.T) {
	for _, in := range []string{"1", "true", "TRUE", "Yes", "on", " on "} {
		if got, err := ParseBool(in); err != nil || !got {
			t.Errorf("ParseBool(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"0", "false", "No", "OFF"} {
		if got, err := ParseBool(in); err != nil || got {
			t.Errorf("ParseBool(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "2", "y", "n", "t", "enabled", "-1"} {
		if got, err := ParseBool(in); err == nil {
			t.Errorf("ParseBool(%q) = %v, want an error", in, got)
		}
	}
}

func TestFormatsReadBack(t *testing.T) {
	for _, n := range []int64{0, 1, 1023, 1024, 1500, 1 << 20, 3 << 29, 512 << 20, 1 << 30, 5 << 40, 1 << 60, math.MaxInt64} {
		if got, err := ParseSize(FormatSize(n)); err != nil || got != n {
			t.Errorf("%d was written %q and read as %d, %v", n, FormatSize(n), got, err)
		}
	}
	for _, d := range []time.Duration{0, 1, time.Millisecond, time.Second, 30 * time.Second, 90 * time.Second, 5 * time.Minute, 70 * time.Minute, time.Hour, 10 * time.Hour, 24*time.Hour + time.Second} {
		if got, err := ParseDuration(FormatDuration(d)); err != nil || got != d {
			t.Errorf("%v was written %q and read as %v, %v", d, FormatDuration(d), got, err)
		}
	}
	for want, d := range map[string]time.Duration{"30s": 30 * time.Second, "5m": 5 * time.Minute, "1h": time.Hour, "1h10m": 70 * time.Minute, "1m30s": 90 * time.Second, "0s": 0} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}
