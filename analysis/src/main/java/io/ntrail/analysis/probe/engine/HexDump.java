package io.ntrail.analysis.probe.engine;

/** Table of bytes, 16 in a row, with their characters. */
final class HexDump {
  private static final int ROW = 16;

  private HexDump() {}

  static String text(byte[] bytes) {
    StringBuilder text = new StringBuilder("\n           ");
    for (int i = 0; i < ROW; i++) {
      text.append("%3x".formatted(i));
    }
    text.append("  0123456789abcdef\n");
    for (int at = 0; at < bytes.length; at += ROW) {
      text.append("%10x:".formatted(at));
      StringBuilder characters = new StringBuilder();
      for (int i = at; i < at + ROW; i++) {
        if (i >= bytes.length) {
          text.append("   ");
        } else {
          int c = bytes[i] & 0xFF;
          text.append(" %02x".formatted(c));
          characters.append(c >= ' ' && c < 0x7F ? (char) c : '.');
        }
      }
      text.append("  ").append(characters).append('\n');
    }
    return text.toString();
  }
}
