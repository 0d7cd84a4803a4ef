package io.ntrail.formats.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files of registry values, byte by byte as regedit writes them. */
class RegistryTextTest {
  private static String text(RegistryText registry) {
    return new String(registry.toBytes(), StandardCharsets.UTF_16LE);
  }

  private static List<String> lines(RegistryText registry) {
    return List.of(text(registry).split("\r\n", -1));
  }

  @Test
  void itBeginsWithAByteOrderMark() {
    byte[] bytes = new RegistryText().toBytes();
    assertEquals((byte) 0xFF, bytes[0]);
    assertEquals((byte) 0xFE, bytes[1]);
    assertEquals('W', bytes[2]);
    assertEquals(0, bytes[3]);
  }

  @Test
  void valuesAreInTheirKey() {
    assertEquals(
        List.of(
            "\uFEFFWindows Registry Editor Version 5.00",
            "",
            "[HKEY_CURRENT_USER\\A]",
            "\"n\"=dword:ffffffff",
            "\"w\"=hex(b):11,00,00,00,00,00,00,80",
            "\"s\"=\"c:\\\\a \\\"b\\\"\"",
            "\"old\"=-",
            "",
            "[-HKEY_CURRENT_USER\\B]",
            "",
            ""),
        lines(
            new RegistryText()
                .key("HKEY_CURRENT_USER\\A")
                .number("n", -1)
                .wide("w", 0x8000_0000_0000_0011L)
                .string("s", "c:\\a \"b\"")
                .deleteValue("old")
                .deleteKey("HKEY_CURRENT_USER\\B")));
  }

  @Test
  void longBytesGoOnInTheNextLine() {
    String text = text(new RegistryText().key("K").binary("EnableKernelFlags", new byte[60]));
    String hex = "00,";
    assertEquals(
        "\"EnableKernelFlags\"=hex:%s\\\r\n  %s\\\r\n  %s00\r\n\r\n"
            .formatted(hex.repeat(18), hex.repeat(25), hex.repeat(16)),
        text.substring(text.indexOf("[K]") + 5));
  }

  @Test
  void noBytesAreAnEmptyList() {
    assertEquals(
        "[K]\r\n\"v\"=hex:\r\n\r\n",
        text(new RegistryText().key("K").binary("v", new byte[0])).substring(41));
  }

  @Test
  void aTextOfTwoLinesIsRefused() {
    RegistryText registry = new RegistryText();
    assertThrows(IllegalArgumentException.class, () -> registry.string("s", "a\r\n[-HKEY_USERS]"));
  }
}
