package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Files of ipt.sys, by hand and by the writer. */
class IptTraceDataTest {
  private final Gaps gaps = new Gaps();
  private final byte[] stream = random(9000);

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(7).nextBytes(bytes);
    return bytes;
  }

  /**
   * Two threads: the ring of the second, behind 28 and 4096 and 28 bytes, is at no multiple of 8.
   */
  private byte[] twoThreads() {
    byte[] ring = ProcessorTraceEvents.ring(4096, 0, stream);
    byte[] half = Arrays.copyOf(Arrays.copyOf(stream, 1000), 8192);
    return ProcessorTraceEvents.file(
        ProcessorTraceEvents.thread(4008, 1, 3, 84, 9000 % 4096, ring),
        ProcessorTraceEvents.thread(4012, 2, 5, 90, 1000, half));
  }

  private static byte[] bytes(InputFile input) {
    return input.window(0, (int) input.size()).array(0, (int) input.size());
  }

  /** Lists the threads' streams in hex, and whether the file looked like one. */
  private List<String> streams(byte[] content) {
    List<String> streams = new ArrayList<>();
    try (InputFile file = InputFile.of(content, "file")) {
      for (IptThreadTrace thread : IptTraceData.of(file, gaps).threads()) {
        try (InputFile inOrder = thread.inOrder(file)) {
          streams.add(HexFormat.of().formatHex(bytes(inOrder)));
        }
      }
    }
    return streams;
  }

  private String hex(int from, int to) {
    return HexFormat.of().formatHex(stream, from, to);
  }

  private static boolean looksLike(byte[] content) {
    try (InputFile file = InputFile.of(content, "file")) {
      return IptTraceData.looksLike(file);
    }
  }

  @Test
  void fieldsLieWhereTheHeaderHasThem() {
    byte[] content =
        HexFormat.of()
            .parseHex(
                "a80f000000000000" // ThreadId
                    + "02000000" // TimingSettings
                    + "03000000" // MtcFrequency
                    + "54000000" // FrequencyToTscRatio
                    + "01000000" // RingBufferOffset
                    + "03000000" // TraceSize
                    + "a1b2c3");
    try (InputFile file = InputFile.of(content, "file")) {
      IptTraceData data = IptTraceData.of(file, gaps);
      assertEquals(List.of(new IptThreadTrace(4008, 2, 3, 84, 1, 3, 28, 3)), data.threads());
      try (InputFile inOrder = data.threads().getFirst().inOrder(file)) {
        assertEquals("b2c3a1", HexFormat.of().formatHex(bytes(inOrder)));
      }
    }
    assertTrue(gaps.isEmpty());
  }

  @Test
  void ringsOfSeveralThreadsAreInOrderWithAndWithoutHead() {
    List<String> expected = List.of(hex(9000 - 4096, 9000), "00".repeat(7192) + hex(0, 1000));
    byte[] plain = twoThreads();
    assertTrue(looksLike(plain));
    assertEquals(expected, streams(plain));
    byte[] headed = new byte[8 + plain.length];
    headed[0] = 1;
    headed[2] = 1;
    // 12,344 bytes follow.
    headed[4] = 0x38;
    headed[5] = 0x30;
    System.arraycopy(plain, 0, headed, 8, plain.length);
    assertTrue(looksLike(headed));
    assertEquals(expected, streams(headed));
    assertTrue(gaps.isEmpty());
  }

  @Test
  void aCutFileGivesWhatIsInItAndAGap() {
    byte[] cut = Arrays.copyOf(twoThreads(), 28 + 4096 + 28 + 600);
    assertEquals(List.of(hex(9000 - 4096, 9000), hex(0, 600)), streams(cut));
    Gap gap = gaps.list().getFirst();
    assertEquals("cut: 600 of 8192 bytes are there", gap.why());
    assertEquals(cut.length, gap.offset());
    assertEquals(8192 - 600, gap.bytes());
  }

  @Test
  void ofARingThatIsCutTheOlderPartIsLeftOut() {
    // 808 bytes are the newer part; behind them 200 of the older.
    byte[] cut = Arrays.copyOf(twoThreads(), 28 + 808 + 200);
    assertEquals(List.of(hex(9000 - 808, 9000)), streams(cut));
    Gap gap = gaps.list().getFirst();
    assertEquals(
        "cut: 1008 of 4096 bytes are there, and the older part of the ring is left out", gap.why());
    assertEquals(28 + 808, gap.offset());
  }

  @Test
  void headersThatContradictThemselvesAreGaps() {
    byte[] plain = twoThreads();
    byte[] wide = plain.clone();
    wide[28 + 4096 + 5] = 1;
    assertEquals(1, streams(wide).size());
    byte[] outside = plain.clone();
    Arrays.fill(outside, 20, 24, (byte) 0x7F);
    assertEquals(0, streams(outside).size());
    assertEquals(
        List.of(
            "no header of a thread: RingBufferOffset 2139062143 in 4096 bytes",
            "no header of a thread: ThreadId has more than 32 bits"),
        gaps.list().stream().map(Gap::why).toList());
  }

  @Test
  void whatTheHeadSaysIsHeldAgainstTheFile() {
    byte[] ring = ProcessorTraceEvents.ring(4096, 0, stream);
    byte[] headed =
        ProcessorTraceEvents.fileWithHead(
            false, ProcessorTraceEvents.thread(4008, 1, 3, 84, 808, ring));
    assertEquals(List.of(hex(9000 - 4096, 9000)), streams(Arrays.copyOf(headed, 4137)));
    assertEquals(
        List.of(
            "the driver has marked it as not valid", "behind the 4124 bytes that TraceSize names"),
        gaps.list().stream().map(Gap::why).toList());
  }

  @Test
  void streamsAndOtherFilesDoNotLookLikeOne() {
    assertFalse(looksLike(new PtPackets(false).psb().psbEnd().toByteArray()));
    assertFalse(looksLike(new byte[5000]));
    assertFalse(looksLike(stream));
    assertFalse(looksLike(new byte[0]));
  }

  @Test
  void everyCutAndManyFlippedBitsAreReadOrTold() {
    byte[] plain = twoThreads();
    int whole = 0;
    for (int length = 0; length < plain.length; length += length < 60 ? 1 : 61) {
      Gaps told = new Gaps();
      try (InputFile file = InputFile.of(Arrays.copyOf(plain, length), "file")) {
        IptTraceData data = IptTraceData.of(file, told);
        long bytes = 0;
        for (IptThreadTrace thread : data.threads()) {
          try (InputFile inOrder = thread.inOrder(file)) {
            bytes += inOrder.size();
          }
        }
        assertTrue(bytes <= length);
        whole += told.isEmpty() ? 1 : 0;
      }
    }
    // Without a byte there is nothing to tell; else a cut shows, but between two threads.
    assertTrue(whole <= 2, whole + " cuts are not told");
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 500; i++) {
      byte[] flipped = plain.clone();
      for (int j = 0; j < 3; j++) {
        int at = random.nextInt(2) * (28 + 4096) + random.nextInt(28);
        flipped[at] ^= (byte) (1 << random.nextInt(8));
      }
      assertTrue(streams(flipped).size() < 600);
    }
  }
}
