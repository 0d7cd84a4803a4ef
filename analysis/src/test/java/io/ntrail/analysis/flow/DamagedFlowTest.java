package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Streams of recorded programs with damage: cut at every 4 KB, with a bit that is flipped, with
 * parts that were spliced out. What is wrong in the flow has an error before it, but for a small
 * share: packets have no checksums.
 *
 * <p>Sound flow is that of the stream as it was recorded, which equals the lists of others. An
 * address counts as wrong if the flow leaves the sound one without an error, up to the next error
 * or, between packets that both streams have, until it is back. In a run of TNTs any results are
 * possible: a stream tells nothing else of them. So wrong addresses that come <em>late</em>, behind
 * the next packet that tells an address, are counted apart.
 */
class DamagedFlowTest {
  private static final int BLOCK = 4096;

  /** Share of wrong addresses at most, of all that were decoded: one of so many. */
  private static final long LEAST_SOUND = 1000;

  /**
   * All but those of a few instructions, lldb/loop, dynamorio/hello, xdc/icelake and xdc/dyn: a
   * thousandth of them is none.
   */
  private static final List<String> STREAMS =
      List.of(
          "stepped/perl-retc.pt",
          "xdc/avscript32.pt",
          "xdc/mruby.pt",
          "xdc/unzip.pt",
          "stepped/perl-cyc.pt",
          "reencoded/mruby-retc-longtnt.pt",
          "reencoded/unzip-retc-longtnt.pt",
          "xdc/qemu.pt",
          "stepped/perl-noretc.pt",
          "stepped/perl-longtnt.pt",
          "reencoded/mruby-retc.pt",
          "lldb/multicore-45.trace",
          "lldb/multicore-51.trace");

  /** Flow as addresses, with errors between them. */
  private static final class Addresses implements FlowSink {
    private static final long ERROR = -1;

    private final FlowDiff.Flow all = new FlowDiff.Flow();

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      long address = blocks.start(block);
      for (int i = 0; i < count; i++) {
        all.add(address);
        address += blocks.length(block, i);
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      // No instruction.
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      all.add(ERROR);
    }
  }

  /** Numbers of addresses of damaged streams. */
  private static final class Count {
    private long all;
    private long wrong;
    private long late;
  }

  private static FlowDiff.Flow follow(String stream, byte[] packets) throws IOException {
    Addresses found = new Addresses();
    Set<Erratum> errata = RecordedStreams.errata(stream.startsWith("lldb/") ? "6/85/4" : "6/94/3");
    RecordedStreams.with(
        stream,
        packets,
        (input, code) -> {
          PacketCursor cursor = PacketCursor.joined(input, errata);
          FlowDecoder decoder =
              new FlowDecoder(
                  cursor,
                  new CodeBlocks(code),
                  new FlowSettings(errata, Resync.EVENT, CodeSize.BITS64),
                  found);
          while (cursor.next()) {
            if (cursor.hasIp()) {
              found.all.packet(cursor.offset());
            }
            decoder.take();
          }
          decoder.end();
        });
    return found.all;
  }

  /** Compares up to the first error: behind it, what is wrong was announced. */
  private static void compare(
      String stream, FlowDiff.Flow sound, byte[] packets, byte[] damaged, Count count)
      throws IOException {
    FlowDiff.Flow found = follow(stream, damaged);
    long[] all = found.addresses();
    int end = 0;
    while (end < all.length && all[end] != Addresses.ERROR) {
      end++;
    }
    count.all += all.length;
    int damage = Arrays.mismatch(packets, damaged);
    FlowDiff diff = new FlowDiff(sound, found, damage, packets.length - damaged.length, end);
    count.wrong += diff.wrong();
    count.late += diff.late();
  }

  private static Count of(Map<String, Count> counts, String name) {
    return counts.computeIfAbsent(name, _ -> new Count());
  }

  @Test
  void whatIsWrongHasAnErrorBeforeIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, Count> counts = new TreeMap<>();
    for (String stream : Slice.of(STREAMS, STREAMS.size())) {
      byte[] packets = RecordedStreams.bytes(stream);
      FlowDiff.Flow sound = follow(stream, packets);
      SplittableRandom random = new SplittableRandom(35);
      int cuts = packets.length / BLOCK;
      int step = Slice.count(1, Math.max(1, cuts / 3));
      for (int cut = 1; cut <= cuts; cut += step) {
        byte[] head = Arrays.copyOf(packets, cut * BLOCK);
        compare(stream, sound, packets, head, of(counts, "cut " + stream));
      }
      for (int i = 0; i < Slice.count(30, 4); i++) {
        byte[] flipped = DamagedStreams.flipped(packets, random);
        compare(stream, sound, packets, flipped, of(counts, "flipped " + stream));
        byte[] spliced = DamagedStreams.spliced(packets, random);
        compare(stream, sound, packets, spliced, of(counts, "spliced " + stream));
      }
    }
    StringBuilder told = new StringBuilder();
    long all = 0;
    long wrong = 0;
    boolean isLate = false;
    for (Map.Entry<String, Count> entry : counts.entrySet()) {
      Count count = entry.getValue();
      told.append(
          "%s: %d wrong, %d late of %d%n"
              .formatted(entry.getKey(), count.wrong, count.late, count.all));
      isLate |= count.late * LEAST_SOUND > count.all;
      all += count.all;
      wrong += count.wrong;
    }
    System.out.print(told);
    assertTrue(wrong * LEAST_SOUND < all, told.toString());
    // Of each stream and each kind of damage.
    assertFalse(isLate, told.toString());
  }
}
