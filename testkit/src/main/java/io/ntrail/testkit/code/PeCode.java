package io.ntrail.testkit.code;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the code of a PE image: the functions of the function table of an x64 image, else the
 * executable sections. Knows just enough of the format for that, and skips what makes no sense.
 */
public final class PeCode {
  private static final int X86 = 0x014C;
  private static final int X64 = 0x8664;
  private static final int EXECUTABLE = 0x2000_0000;
  private static final int EXCEPTION_DIRECTORY = 3;

  private final byte[] image;
  private final int header;

  private PeCode(byte[] image) {
    this.image = image;
    this.header = image.length < 0x40 ? -1 : i32(0x3C);
  }

  private record Section(int rva, int size, int offset, boolean executable) {}

  /** 64, 32, or 0 if this is not an image of such code. */
  public static int bits(byte[] image) {
    PeCode code = new PeCode(image);
    if (code.header < 0 || code.header > image.length - 0x108 || code.i32(code.header) != 0x4550) {
      return 0;
    }
    return switch (code.u16(code.header + 4)) {
      case X64 -> 64;
      case X86 -> 32;
      default -> 0;
    };
  }

  /** The code of an image for which {@link #bits} is not 0. */
  public static CodeChunks of(byte[] image) {
    PeCode code = new PeCode(image);
    return bits(image) == 64 ? code.functions() : code.executableSections();
  }

  private CodeChunks functions() {
    List<int[]> chunks = new ArrayList<>();
    int directory = header + 24 + 112 + 8 * EXCEPTION_DIRECTORY;
    int table = offset(i32(directory), i32(directory + 4));
    for (int at = table; table >= 0 && at <= table + i32(directory + 4) - 12; at += 12) {
      int length = i32(at + 4) - i32(at);
      int offset = executableOffset(i32(at), length);
      if (offset >= 0) {
        chunks.add(new int[] {offset, length});
      }
    }
    return chunks(chunks);
  }

  private CodeChunks executableSections() {
    List<int[]> chunks = new ArrayList<>();
    for (Section section : sections()) {
      if (section.executable) {
        chunks.add(new int[] {section.offset, section.size});
      }
    }
    return chunks(chunks);
  }

  private CodeChunks chunks(List<int[]> chunks) {
    return new CodeChunks(
        image,
        chunks.stream().mapToInt(chunk -> chunk[0]).toArray(),
        chunks.stream().mapToInt(chunk -> chunk[1]).toArray());
  }

  private List<Section> sections() {
    List<Section> sections = new ArrayList<>();
    int at = header + 24 + u16(header + 20);
    for (int i = u16(header + 6); i > 0 && at <= image.length - 40; i--, at += 40) {
      int offset = i32(at + 20);
      int size = Math.min(i32(at + 8), i32(at + 16));
      if (offset >= 0 && size > 0 && offset < image.length) {
        sections.add(
            new Section(
                i32(at + 12),
                Math.min(size, image.length - offset),
                offset,
                (i32(at + 36) & EXECUTABLE) != 0));
      }
    }
    return sections;
  }

  private int executableOffset(int rva, int length) {
    return sections().stream().anyMatch(s -> s.executable && holds(s, rva, length))
        ? offset(rva, length)
        : -1;
  }

  /** Returns the file offset of a range of the loaded image, or -1. */
  private int offset(int rva, int length) {
    return sections().stream()
        .filter(section -> holds(section, rva, length))
        .mapToInt(section -> section.offset + rva - section.rva)
        .findFirst()
        .orElse(-1);
  }

  private static boolean holds(Section section, int rva, int length) {
    return length > 0 && rva >= section.rva && length <= section.size - (rva - section.rva);
  }

  private int u16(int at) {
    return image[at] & 0xFF | (image[at + 1] & 0xFF) << 8;
  }

  private int i32(int at) {
    return u16(at) | u16(at + 2) << 16;
  }
}
