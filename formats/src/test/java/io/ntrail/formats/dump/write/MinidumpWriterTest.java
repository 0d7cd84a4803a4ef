package io.ntrail.formats.dump.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedMemory;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedModule;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedRegion;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedSystem;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedThread;
import io.ntrail.formats.dump.write.MinidumpWriter.FullMemory;
import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dumps as another program, obj2yaml of LLVM, reads them. */
final class MinidumpWriterTest {
  private static final ExternalTool OBJ2YAML =
      ExternalTool.of("llvm", "obj2yaml-14", "obj2yaml", "/usr/lib/llvm-14/bin/obj2yaml");

  private static final int CONTEXT = 1232;

  @TempDir Path folder;

  /** Writes streams. */
  private interface Content {
    void write(MinidumpWriter writer) throws IOException;
  }

  private Path dump(Content content) throws IOException {
    Path file = folder.resolve("it.dmp");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      MinidumpWriter writer = new MinidumpWriter(channel);
      content.write(writer);
      assertEquals(writer.finish(1_700_000_000L, 0x1860), channel.size());
    }
    return file;
  }

  private static String told(Path dump) throws Exception {
    assumeTrue(OBJ2YAML.available(), OBJ2YAML.missing());
    ExternalTool.Outcome outcome = OBJ2YAML.run(Path.of("."), Map.of(), dump.toString());
    assertEquals(0, outcome.exitCode(), outcome.errors());
    // Columns differ from version to version.
    return outcome.output().replaceAll(" +", " ");
  }

  private static Bytes bytes(int... values) {
    BytesBuilder out = new BytesBuilder(values.length);
    for (int value : values) {
      out.u8(value);
    }
    return Bytes.copyOf(out.toArray(), "test");
  }

  private static void mustTell(String text, String... lines) {
    for (String line : lines) {
      assertTrue(
          text.contains("\n " + line + "\n") || text.contains("- " + line), line + "\n" + text);
    }
  }

  @Test
  void systemModulesAndRegionsAreTold() throws Exception {
    Path dump =
        dump(writer -> {
          writer.system(
              new DumpedSystem(true, 6, 0x5507, 4, 1, 10, 0, 19045, "Service Pack 3", 0x100, 0xA5));
          writer.modules(
              List.of(
                  new DumpedModule(
                      0x7FF6_1234_0000L,
                      0x5000,
                      0xABCD,
                      1_600_000_000L,
                      "C:\\shop\\shop.exe",
                      0x000A_0000_4A61_0001L,
                      0,
                      bytes('R', 'S', 'D', 'S', 1, 2))));
          writer.regions(
              List.of(new DumpedRegion(0x1_0000, 0x1_0000, 0x04, 0x2000, 0x1000, 0x02, 0x2_0000)));
        });
    mustTell(
        told(dump),
        "Type: SystemInfo",
        "Processor Arch: AMD64",
        "Processor Level: 6",
        "Processor Revision: 21767",
        "Number of Processors: 4",
        "Product type: 1",
        "Major Version: 10",
        "Build Number: 19045",
        "Platform ID: Win32NT",
        "CSD Version: Service Pack 3",
        "Suite Mask: 0x100",
        "Base of Image: 0x7FF612340000",
        "Size of Image: 0x5000",
        "Checksum: 0xABCD",
        "Time Date Stamp: 1600000000",
        "Module Name: 'C:\\shop\\shop.exe'",
        "File Version High: 0xA0000",
        "File Version Low: 0x4A610001",
        "CodeView Record: '525344530102'",
        "Base Address: 0x10000",
        "Allocation Protect: [ PAGE_READ_WRITE ]",
        "Region Size: 0x2000",
        "State: [ MEM_COMMIT ]",
        "Protect: [ PAGE_READ_ONLY ]",
        "Type: [ MEM_PRIVATE ]");
  }

  @Test
  void threadsHaveTheirStackAndContextAndMemoryItsBytes() throws Exception {
    byte[] context = new byte[CONTEXT];
    context[0x30] = 0x1F;
    Path dump =
        dump(writer ->
            writer.threads(
                List.of(
                    new DumpedThread(
                        4312,
                        2,
                        0x20,
                        1,
                        0x7FFD_0000L,
                        0x13_F000,
                        bytes(1, 2, 3, 4),
                        4,
                        Bytes.copyOf(context, "test"))),
                List.of(new DumpedMemory(0x5_0000, bytes(0xCA, 0xFE)))));
    mustTell(
        told(dump),
        "Type: ThreadList",
        "Thread Id: 0x10D8",
        "Suspend Count: 0x2",
        "Priority Class: 0x20",
        "Priority: 0x1",
        "Environment Block: 0x7FFD0000",
        "Start of Memory Range: 0x13F000",
        "Content: '01020304'",
        "Type: MemoryList",
        "Start of Memory Range: 0x50000",
        "Content: CAFE");
  }

  @Test
  void adjacentBytesOfAFullDumpAreOneRange() throws Exception {
    Path dump =
        dump(writer -> {
          FullMemory memory = writer.memory(2);
          assertTrue(memory.add(0x1000, new byte[] {1, 2, 3, 4}, 4));
          assertTrue(memory.add(0x1004, new byte[] {5, 6, 7, 8, 9}, 4));
          assertTrue(memory.add(0x9000, new byte[] {10, 11}, 2));
          // There is no room for another range; a longer one is possible.
          assertFalse(memory.add(0x1_0000, new byte[] {12}, 1));
          assertTrue(memory.add(0x9002, new byte[] {13}, 1));
          assertEquals(2, memory.ranges());
          assertEquals(11, memory.bytes());
          memory.end();
        });
    ByteBuffer whole = ByteBuffer.wrap(Files.readAllBytes(dump));
    whole.order(ByteOrder.LITTLE_ENDIAN);
    // The only entry of the directory: MINIDUMP_MEMORY64_LIST, checked by hand.
    assertEquals(9, whole.getInt(32));
    assertEquals(16 + 2 * 16, whole.getInt(36));
    int list = whole.getInt(40);
    assertEquals(2, whole.getLong(list));
    int data = (int) whole.getLong(list + 8);
    assertEquals(0x1000, whole.getLong(list + 16));
    assertEquals(8, whole.getLong(list + 24));
    assertEquals(0x9000, whole.getLong(list + 32));
    assertEquals(3, whole.getLong(list + 40));
    byte[] stored = new byte[11];
    whole.get(data, stored);
    assertEquals(
        List.of(1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13),
        IntStream.range(0, 11).mapToObj(i -> (int) stored[i]).toList());
  }

  /** Channel that is only as long as it says. */
  private static final class Endless implements SeekableByteChannel {
    private long position;
    private long size;

    @Override
    public int write(ByteBuffer bytes) {
      int length = bytes.remaining();
      bytes.position(bytes.limit());
      position += length;
      size = Math.max(size, position);
      return length;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public SeekableByteChannel position(long at) {
      position = at;
      return this;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public int read(ByteBuffer bytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SeekableByteChannel truncate(long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void fullDumpsHaveAnySizeAndNothingElseIsBeyond4GiB() throws IOException {
    MinidumpWriter writer = new MinidumpWriter(new Endless());
    FullMemory memory = writer.memory(1);
    byte[] piece = new byte[1 << 20];
    for (long i = 0; i < 5000; i++) {
      assertTrue(memory.add(i << 20, piece, piece.length));
    }
    memory.end();
    List<DumpedMemory> more = List.of(new DumpedMemory(0, bytes(1)));
    assertThrows(CannotGoOn.class, () -> writer.threads(List.of(), more));
    assertTrue(writer.finish(0, 0) > 5000L << 20);
  }
}
