#pragma D option quiet
BEGIN { printf("%s\n", strjoin("foo", "baz")); printf("%s\n", strjoin("foo", "")); printf("%s\n", strjoin("", "baz")); printf("%s\n", strjoin("", "")); exit(0); }
