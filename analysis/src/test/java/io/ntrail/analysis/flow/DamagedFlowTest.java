package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.collections.LongList;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
 * or until it is back: the flow between two places where it is certain is compared.
 */
class DamagedFlowTest {
  private static final int BLOCK = 4096;

  /** Share of wrong addresses at most, of all that were decoded: one of so many. */
  private static final long LEAST_SOUND = 1000;

  private static final List<String> STREAMS =
      List.of("stepped/perl-retc.pt", "xdc/avscript32.pt", "xdc/mruby.pt", "xdc/unzip.pt");

  /** Flow as addresses, with errors between them. */
  private static final class Addresses implements FlowSink {
    private static final long ERROR = -1;

    private final LongList all = new LongList();

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
  }

  private static long[] follow(String stream, byte[] packets) throws IOException {
    Addresses found = new Addresses();
    RecordedStreams.follow(stream, packets, "6/94/3", Resync.EVENT, found);
    return found.all.toArray();
  }

  /** Compares up to the first error: behind it, what is wrong was announced. */
  private static void compare(long[] sound, long[] damaged, Count count) {
    int same = Arrays.mismatch(sound, damaged);
    count.all += damaged.length;
    if (same < 0 || same == damaged.length) {
      return;
    }
    int at = same;
    while (at < damaged.length && damaged[at] != Addresses.ERROR) {
      at++;
    }
    // The end of what is common to both is sound again.
    int back = 0;
    while (back < at - same
        && at == damaged.length
        && sound[sound.length - 1 - back] == damaged[damaged.length - 1 - back]) {
      back++;
    }
    count.wrong += at - same - back;
  }

  private static byte[] flipped(byte[] packets, SplittableRandom random) {
    byte[] damaged = packets.clone();
    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    return damaged;
  }

  /** Leaves a part out, of up to 4 KB. */
  private static byte[] spliced(byte[] packets, SplittableRandom random) {
    int length = 1 + random.nextInt(BLOCK);
    int at = random.nextInt(packets.length - length);
    byte[] damaged = Arrays.copyOf(packets, packets.length - length);
    System.arraycopy(packets, at + length, damaged, at, packets.length - length - at);
    return damaged;
  }

  @Test
  void whatIsWrongHasAnErrorBeforeIt() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, Count> counts = new TreeMap<>();
    for (String stream : Slice.of(STREAMS, STREAMS.size())) {
      byte[] packets = RecordedStreams.bytes(stream);
      long[] sound = follow(stream, packets);
      SplittableRandom random = new SplittableRandom(35);
      int cuts = packets.length / BLOCK;
      int step = Math.max(1, cuts / Slice.count(25, 3));
      for (int cut = 1; cut <= cuts; cut += step) {
        long[] head = follow(stream, Arrays.copyOf(packets, cut * BLOCK));
        compare(sound, head, counts.computeIfAbsent("cut " + stream, _ -> new Count()));
      }
      for (int i = 0; i < Slice.count(30, 4); i++) {
        long[] flipped = follow(stream, flipped(packets, random));
        compare(sound, flipped, counts.computeIfAbsent("flipped " + stream, _ -> new Count()));
        long[] spliced = follow(stream, spliced(packets, random));
        compare(sound, spliced, counts.computeIfAbsent("spliced " + stream, _ -> new Count()));
      }
    }
    StringBuilder told = new StringBuilder();
    long all = 0;
    long wrong = 0;
    for (Map.Entry<String, Count> entry : counts.entrySet()) {
      Count count = entry.getValue();
      told.append("%s: %d wrong of %d%n".formatted(entry.getKey(), count.wrong, count.all));
      all += count.all;
      wrong += count.wrong;
    }
    System.out.print(told);
    assertTrue(wrong * LEAST_SOUND < all, told.toString());
  }
}
