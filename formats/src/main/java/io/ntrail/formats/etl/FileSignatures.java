package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import java.nio.charset.StandardCharsets;

/** Names the kind of a file that is not a recording, from its first bytes. */
final class FileSignatures {
  private record Magic(String hex, String what) {}

  // @formatter:off
  private static final Magic[] MAGICS = {
    new Magic("ffd8ff",           "a JPEG picture"),
    new Magic("89504e47",         "a PNG picture"),
    new Magic("47494638",         "a GIF picture"),
    new Magic("25504446",         "a PDF document"),
    new Magic("4d5a",             "a Windows program or library"),
    new Magic("4d444d50",         "a minidump"),
    new Magic("5041474544553634", "a kernel dump"),
    new Magic("50414745",         "a kernel dump"),
    new Magic("4d6963726f736f6674", "a program database (PDB)"),
    new Magic("7f454c46",         "a Linux program"),
    new Magic("377abcaf",         "a 7z archive: unpack it first"),
    new Magic("52617221",         "a RAR archive: unpack it first"),
    new Magic("4d534346",         "a cabinet: unpack it first"),
    new Magic("456c6646696c65",   "an event log (.evtx)"),
    new Magic("fd377a585a",       "an xz archive: unpack it first"),
    new Magic("28b52ffd",         "a Zstandard archive: unpack it first"),
    new Magic("425a68",           "a bzip2 archive: unpack it first"),
  };

  // @formatter:on

  private FileSignatures() {}

  static CannotGoOn notARecording(InputFile input) {
    if (input.size() == 0) {
      return new CannotGoOn(input.name() + " is empty", "");
    }
    Bytes head = input.window(0, (int) Math.min(16, input.size()));
    StringBuilder hex = new StringBuilder();
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < head.length(); i++) {
      String digits = Integer.toHexString(0x100 | head.u8(i)).substring(1);
      hex.append(digits);
      if (i < 4) {
        shown.append(i == 0 ? "" : " ").append(digits);
      }
    }
    String what = "";
    for (Magic magic : MAGICS) {
      if (hex.indexOf(magic.hex) == 0) {
        what = ", " + magic.what;
        break;
      }
    }
    if (what.isEmpty() && isText(head)) {
      what = ", text";
    }
    return new CannotGoOn(
        input.name()
            + " is not a recording, or is cut inside its header (it starts with "
            + shown
            + what
            + ")",
        "readable: .etl .ntr .jtrc, also in .zip .gz .cab .diagsession    see: ntrail help formats");
  }

  private static boolean isText(Bytes head) {
    String text = new String(head.array(0, head.length()), StandardCharsets.ISO_8859_1);
    return text.chars().allMatch(c -> c >= 0x20 && c < 0x7F || c == '\n' || c == '\r' || c == '\t');
  }
}
