package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/** Images for tests of unwind data: real ones, and small ones that lie flat in an array. */
public final class UnwindImages {
  /** Offset of the end of the headers of a small image. */
  public static final int BODY = 0x200;

  private UnwindImages() {}

  /** A real image of the shared folder, for example {@code pe/windows/acpi.sys.gz}. */
  public static PeImage real(String file) {
    try {
      byte[] bytes =
          file.endsWith(".gz") ? TestData.gunzip(file) : Files.readAllBytes(TestData.file(file));
      return PeImage.ofFile(InputFile.of(bytes, file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An x64 image whose offsets are RVAs, with its function table in a range. */
  public static PeImage small(byte[] body, long tableRva, long tableSize) {
    return small(MachineType.AMD64, body, tableRva, tableSize);
  }

  /** Returns such an image for a machine. */
  static PeImage small(int machine, byte[] body, long tableRva, long tableSize) {
    LittleEndian image = new LittleEndian().u16(0x5A4D).zeros(0x3A).u32(0x40);
    image.u32(0x4550).u16(machine).u16(0).zeros(12).u16(240).u16(0x22);
    image.u16(0x20B).zeros(22).u64(0x1_4000_0000L).u32(0x10).u32(0x10).zeros(16);
    image.u32(BODY + body.length).u32(BODY).zeros(44).u32(16);
    image.zeros(3 * 8).u32(tableRva).u32(tableSize);
    image.zeros(BODY - image.size()).bytes(body);
    return PeImage.ofMemory(view(0, image.toByteArray()));
  }

  /** An x86 image at 400000h whose offsets are RVAs. */
  public static PeImage small32(byte[] body) {
    LittleEndian image = new LittleEndian().u16(0x5A4D).zeros(0x3A).u32(0x40);
    image.u32(0x4550).u16(MachineType.I386).u16(0).zeros(12).u16(224).u16(0x102);
    image.u16(0x10B).zeros(26).u32(0x40_0000).u32(0x10).u32(0x10).zeros(16);
    image.u32(BODY + body.length).u32(BODY).zeros(28).u32(16);
    image.zeros(BODY - image.size()).bytes(body);
    return PeImage.ofMemory(view(0, image.toByteArray()));
  }

  /** Bytes alone, the first at an RVA. */
  public static ImageView view(long rva, byte[] bytes) {
    return ImageView.of(
        "bytes", List.of(new Extent(rva, bytes.length, Bytes.copyOf(bytes, "bytes"))));
  }
}
