package io.ntrail.analysis.naming;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of images. */
class ImageFileTest {
  @ParameterizedTest
  @CsvSource({
    "\\Device\\HarddiskVolume3\\Windows\\System32\\ntdll.dll, ntdll.dll",
    "ntdll.dll, ntdll.dll",
    "\\SystemRoot\\system32\\, system32",
    "\\\\, (unnamed)",
    "'', (unnamed)"
  })
  void hasTheLastPartOfItsPathAsName(String path, String name) {
    assertEquals(name, new ImageFile(path, 0x1000, 0).name());
  }
}
