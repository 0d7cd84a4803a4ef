package io.ntrail.formats.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first bytes of a file say what it is; how many there are does not matter. */
class FileSignatureTest {
  private static FileSignature of(byte[] head) {
    return FileSignature.of(Bytes.copyOf(head, "x"));
  }

  private static FileSignature of(String latin1) {
    return of(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  /** Signatures as the vendors' documents and the file(1) database have them. */
  @ParameterizedTest
  @CsvSource({
    "ffd8ffe000104a464946, JPEG",
    "89504e470d0a1a0a, PNG",
    "474946383961, GIF",
    "255044462d312e37, PDF",
    "4d5a9000, IMAGE",
    "4d444d5093a7, MINIDUMP",
    "5041474544553634, KERNEL_DUMP_64",
    "50414745444d5031, KERNEL_DUMP_32",
    "42534a4201000100, PORTABLE_PDB",
    "7f454c460201, ELF",
    "4a54524300100500, JTRC",
    "1f8b0800, GZIP",
    "504b0304, ZIP",
    "4d53434600000000, CABINET",
    "377abcaf271c, SEVEN_ZIP",
    "526172211a07, RAR",
    "fd377a585a00, XZ",
    "28b52ffd04, ZSTANDARD",
    "425a6839, BZIP2",
    "456c6646696c6500, EVENT_LOG"
  })
  void signatures(String hex, FileSignature expected) {
    assertEquals(expected, of(bytes(hex)));
    byte[] longer = new byte[FileSignature.HEAD];
    System.arraycopy(bytes(hex), 0, longer, 0, hex.length() / 2);
    assertEquals(expected, of(longer));
  }

  @Test
  void versionsOfPdbsAreDistinguished() {
    assertEquals(FileSignature.MSF_7, of("Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0"));
    assertEquals(FileSignature.MSF_2, of("Microsoft C/C++ program database 2.00\r\n\u001AJG\0\0"));
    assertEquals(FileSignature.MSFZ, of("Microsoft MSFZ Container\r\n\u001AALD\0\0"));
    assertEquals(FileSignature.OTHER_PDB, of("Microsoft C/C++ MSF 8"));
    for (FileSignature signature : FileSignature.values()) {
      assertEquals(signature.noun().contains("PDB"), signature.isPdb(), signature.name());
    }
  }

  @Test
  void textIsRecognisedByItsStart() {
    assertEquals(FileSignature.XML, of("<?xml version=\"1.0\"?><instrumentationManifest>"));
    assertEquals(FileSignature.WEB_PAGE, of("\r\n <html>"));
    assertEquals(FileSignature.WEB_PAGE, of("\u00EF\u00BB\u00BF<!DOCTYPE html>"));
    assertEquals(FileSignature.JSON, of(" {\"a\": 1}"));
    assertEquals(FileSignature.JSON, of("[1]"));
    assertEquals(FileSignature.TEXT, of("a line\n"));
    assertEquals(FileSignature.UNKNOWN, of("[\0\0\0"));
    assertEquals(FileSignature.UNKNOWN, of("\u0001\u0002"));
    assertEquals(FileSignature.EMPTY, of(""));
  }

  @Test
  void aFileIsReadAtItsStartOnly() {
    byte[] content = new byte[1 << 16];
    content[0] = 'M';
    content[1] = 'Z';
    try (InputFile file = InputFile.of(content, "x")) {
      assertEquals(FileSignature.IMAGE, FileSignature.of(file));
    }
  }

  @Test
  void everyKindHasANoun() {
    for (FileSignature signature : FileSignature.values()) {
      assertTrue(
          signature.noun().matches("(an? |of an |empty|text).*|empty|text"), signature.noun());
    }
  }
}
