package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail pt} with files of ipt.sys. */
class PtThreadsTest {
  @TempDir private Path folder;

  private static byte[] ring(PtPackets packets) {
    return Arrays.copyOf(packets.toByteArray(), 4096);
  }

  private Path file() throws IOException {
    PtPackets first = new PtPackets(false).psb().psbEnd().tnt(1, 3);
    PtPackets second = new PtPackets(false).psb().psbEnd().mtc(5);
    return Files.write(
        folder.resolve("trace.ipt"),
        ProcessorTraceEvents.file(
            ProcessorTraceEvents.thread(4008, 0, 0, 0, first.size(), ring(first)),
            ProcessorTraceEvents.thread(4012, 1, 3, 84, second.size(), ring(second))));
  }

  private static List<String> types(Cli.Result result) {
    return result
        .out()
        .lines()
        .map(line -> line.replaceAll(".*\"type\":\"([^\"]*)\".*", "$1"))
        .toList();
  }

  @Test
  void theThreadThatWasNamedIsListed() throws IOException {
    Path file = file();
    Cli.Result result = Cli.run("pt", "packets", file, "-t", "4012", "--format", "jsonl");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of("PSB", "PSBEND", "MTC"), types(result));
    String text = Cli.run("pt", "packets", file, "-t", "4008").out();
    assertTrue(text.startsWith(file + " (thread 4008): 4 KiB"), text);
    assertTrue(text.contains("TNT"), text);
  }

  @Test
  void ofSeveralThreadsOneHasToBeNamed() throws IOException {
    Path file = file();
    String asked = Cli.run("pt", "packets", file).err();
    assertTrue(asked.contains("has traces of 2 threads: 4008, 4012"), asked);
    assertTrue(asked.contains("-t 4008"), asked);
    String unknown = Cli.run("pt", "packets", file, "-t", "1").err();
    assertTrue(unknown.contains("2 threads: 4008, 4012, of which not exactly one is 1"), unknown);
  }

  @Test
  void aRefusalSaysThatOtherThreadsCouldNotBeRead() throws IOException {
    LittleEndian thread = ProcessorTraceEvents.thread(4008, 0, 0, 0, 0, new byte[4096]);
    LittleEndian none = ProcessorTraceEvents.thread(1L << 40, 0, 0, 0, 0, new byte[4096]);
    Path file = Files.write(folder.resolve("cut.ipt"), ProcessorTraceEvents.file(thread, none));
    Cli.Result silent = Cli.run("pt", "packets", file);
    assertEquals(3, silent.exit(), silent.err());
    assertTrue(silent.err().contains("has no PSB"), silent.err());
    assertTrue(silent.err().contains("in what could be read"), silent.err());
    Cli.Result other = Cli.run("pt", "packets", file, "-t", "4012");
    assertTrue(other.err().contains("in what could be read"), other.err());
    assertTrue(other.err().contains("ThreadId has more than 32 bits"), other.err());
  }

  @Test
  void aFileWithoutRoomForAThreadIsRefused() throws IOException {
    byte[] all =
        ProcessorTraceEvents.fileWithHead(
            true, ProcessorTraceEvents.thread(4008, 0, 0, 0, 0, new byte[4096]));
    LittleEndian.putU32(all, 4, 20);
    Path file = Files.write(folder.resolve("short.ipt"), all);
    Cli.Result result = Cli.run("pt", "packets", file);
    assertEquals(3, result.exit(), result.err());
    assertTrue(result.err().contains("has no trace of a thread"), result.err());
  }

  @Test
  void aStreamHasNoThreads() throws IOException {
    byte[] stream = new PtPackets(false).psb().psbEnd().toByteArray();
    Path file = Files.write(folder.resolve("trace.pt"), stream);
    Cli.Result result = Cli.run("pt", "packets", file, "-t", "4008");
    assertTrue(result.err().contains("is one stream, which names no thread"), result.err());
  }
}
