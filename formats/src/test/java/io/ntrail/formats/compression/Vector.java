package io.ntrail.formats.compression;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * A compressed text and what it says.
 *
 * @param name for messages
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Vector(String name, Compression compression, byte[] packed, byte[] plain) {
  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz";
  private static final String SONG =
      "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E F# G F# D E "
          + "F# G F# E D E A F# F# G A A G F# E D D E F# E D D\0";

  /** The examples of MS-XCA. */
  static List<Vector> published() {
    return List.of(
        vector("alphabet", Compression.XPRESS, "3f000000" + hex(ALPHABET), ALPHABET),
        vector(
            "abc 100 times", Compression.XPRESS, "ffffff1f61626317000fff2601", "abc".repeat(100)),
        vector(
            "alphabet",
            Compression.XPRESS_HUFF,
            "00".repeat(48)
                + "5055555555555555555555454404"
                + "00".repeat(66)
                + "04"
                + "00".repeat(127)
                + "d8523ed794115be9195ff9d67cdf8d0400000000",
            ALPHABET),
        vector(
            "abc 100 times",
            Compression.XPRESS_HUFF,
            "00".repeat(48)
                + "3023"
                + "00".repeat(78)
                + "02"
                + "00".repeat(14)
                + "20"
                + "00".repeat(112)
                + "a8dc0000ff2601",
            "abc".repeat(100)),
        vector(
            "song",
            Compression.LZNT1,
            "38b08846232000204720410010a24701a045204400084501507900c04520"
                + "0524138805b4024a44ef0358028c091601484500be009e000401189000",
            SONG));
  }

  private static Vector vector(String name, Compression compression, String packed, String plain) {
    return new Vector(
        name,
        compression,
        HexFormat.of().parseHex(packed),
        plain.getBytes(StandardCharsets.US_ASCII));
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public String toString() {
    return compression + " " + name;
  }
}
