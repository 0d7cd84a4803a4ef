package io.ntrail.live.patch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stubs of system calls of several systems, and what hooks make of them. */
class PlainSystemCallTest {
  @ParameterizedTest
  @CsvSource({
    // Windows 10 and later; Windows 7; Wine 8.
    "4c8bd1b823000000f604250803fe7f0175030f05c3cd2ec3, true",
    "4c8bd1b8200000000f05c3, true",
    "4c8bd1b89e000000f604250803fe7f0175030f05c3eb01c3ff1425 0010fe7fc3, true",
    // A jump elsewhere, one through a pointer, a breakpoint, a call, nothing of a system call.
    "e97b563412b89e000000f604250803fe7f0175030f05c3, false",
    "ff2500000000b89e0000000f05c3, false",
    "4c8bd1ccb89e0000000f05c3, false",
    "4c8bd1b89e000000e8001000000f05c3, false",
    "4c8bd1b89e000000ff14257856341290c3, false",
    "4c8bd1b89e000000ff1500000000c3, false",
    "4c8bd1b89e000000c3, false",
    // It never ends, it is no code.
    "4c8bd10f05ebf9, true",
    "4c8bd10f05eb7f, false",
    "0600, false",
    "'', false",
  })
  void onlyWhatEntersTheSystemAndReturnsIsPlain(String code, boolean isPlain) {
    byte[] bytes = HexFormat.of().parseHex(code.replace(" ", ""));
    Bytes padded = Bytes.copyOf(Arrays.copyOf(bytes, PlainSystemCall.BYTES), "stub");
    assertEquals(isPlain, PlainSystemCall.is(padded));
  }
}
