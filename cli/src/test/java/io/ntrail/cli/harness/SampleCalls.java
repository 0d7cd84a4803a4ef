package io.ntrail.cli.harness;

import io.ntrail.testkit.calls.JtrcWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A small recording of calls in the invented shop: two threads, an exception, a call that was still
 * open, a lost exit and a lost entry. Its routines are those of {@link SampleImage}.
 *
 * <p>It is {@code samples/shop.jtrc}; {@code CallsTest} compares the two. After a change here run
 * {@link #main} with that path.
 */
public final class SampleCalls {
  private static final long BASE = 0x10000000L;
  private static final long MAIN = BASE + 0x1010;
  private static final long SIZE = BASE + 0x1020;
  private static final long LOAD = BASE + 0x1040;
  private static final long MATCH = BASE + 0x1070;
  private static final long CLOSE = BASE + 0x10B0;

  private final List<long[]> records = new ArrayList<>();
  private long time;

  private SampleCalls(long time) {
    this.time = time;
  }

  /** Writes it. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0]), make());
  }

  public static byte[] make() {
    UUID pdb = UUID.fromString("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708");
    return new JtrcWriter()
        .image(BASE, 0x7000, "\\shop\\shopcore.dll", pdb, 2, "shopcore.pdb")
        .trace(4312, 4316, first())
        .trace(4312, 5020, second())
        .toByteArray();
  }

  private SampleCalls enter(long routine, long after) {
    time += after;
    records.add(new long[] {0, time, routine, 0xB83C81D4L});
    return this;
  }

  private SampleCalls leave(long routine, long after, long value) {
    time += after;
    records.add(new long[] {1, time, routine, value});
    return this;
  }

  private static long[][] first() {
    SampleCalls calls = new SampleCalls(1_000_000);
    // Its entry was before the recording began.
    calls.leave(CLOSE, 0, 0);
    calls.enter(MAIN, 5_000);
    for (int i = 0; i < 5; i++) {
      calls.enter(MATCH, 1_000).enter(SIZE, 100).leave(SIZE, 50, 16);
      if (i % 2 == 0) {
        calls.enter(LOAD, 20).leave(LOAD, 4_000 + 1_000 * i, i == 4 ? 0xC0000034L : 1);
      }
      calls.leave(MATCH, 30, i);
    }
    // The exit of this one was lost: that of the one around it ends both.
    calls.enter(MATCH, 500).enter(SIZE, 10).leave(MATCH, 40, 7);
    calls.enter(CLOSE, 100);
    return calls.records.toArray(long[][]::new);
  }

  private static long[][] second() {
    SampleCalls calls = new SampleCalls(1_020_000);
    calls.enter(MATCH, 0).enter(LOAD, 300);
    calls.time += 900;
    calls.records.add(new long[] {2, calls.time, LOAD, 0xC0000005L});
    calls.records.add(new long[] {2, calls.time + 5, MATCH, 0xC0000005L});
    return calls.records.toArray(long[][]::new);
  }
}
