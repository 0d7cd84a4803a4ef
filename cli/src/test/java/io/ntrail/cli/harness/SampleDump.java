package io.ntrail.cli.harness;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A dump of shopd.exe, which read at a null pointer in the sample's library.
 *
 * <p>It is {@code samples/shop.dmp}; {@code DumpStacksTest} compares the two. After a change here
 * run {@link #main} with that path.
 */
public final class SampleDump {
  /** Address of the library: its preferred base. */
  public static final long BASE = 0x1_8000_0000L;

  /** Lowest address of the stack that is saved: the stack pointer. */
  private static final long STACK = 0xC1_F38F_F6A0L;

  /** Start of StockLoad's instruction that reads through the null pointer. */
  private static final long FAULT = BASE + 0x1049;

  private SampleDump() {}

  /** Writes it. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0]), make());
  }

  /** Writes the dump; its memory has all of the library. */
  public static byte[] make() {
    return make(LoaderView.map(SampleImage.make()));
  }

  /** Writes the dump with a library in memory that was changed. */
  public static byte[] make(byte[] library) {
    long timestamp = LittleEndian.getU32(library, pe(library) + 8);
    long size = LittleEndian.getU32(library, pe(library) + 24 + 56);
    byte[] fault = MinidumpBuilder.x64(FAULT, 0, 0, 0, 7, STACK, STACK + 0x20);
    return new MinidumpBuilder()
            .time(1_773_477_067)
            .flags(0x2)
            .system(9, 10, 0, 26100)
            .process(4312)
            .module(
                0x1_4000_0000L,
                0x8000,
                0x698B_D3A1L,
                "C:\\shop\\shopd.exe",
                UUID.fromString("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708"),
                2,
                "shopd.pdb")
            .module(BASE, size, timestamp, "C:\\shop\\shopcore.dll")
            .unloaded(0x7FF8_0000_0000L, 0x1_0000, "old.dll")
            .thread(4316, 0, STACK, stack(), fault)
            .thread(
                5020, 0, 0xC1_F39F_F000L, new byte[0x40], MinidumpBuilder.x64(0x7FF8_1234_5678L))
            .threadName(4316, "main")
            .memory(BASE, library)
            .exception(4316, 0xC000_0005L, FAULT, fault, 0, 0x18)
            .stream(0x1234, new byte[12])
            .toByteArray();
  }

  /** The stack of StockLoad, called by StockMatch, called by shopd.exe. */
  private static byte[] stack() {
    byte[] stack = new byte[0x160];
    LittleEndian.putU64(stack, 0x20, STACK + 0x100);
    LittleEndian.putU64(stack, 0x28, BASE + 0x1092);
    LittleEndian.putU64(stack, 0x58, 0x1_4000_10CCL);
    return stack;
  }

  private static int pe(byte[] image) {
    return (int) LittleEndian.getU32(image, 0x3C);
  }
}
