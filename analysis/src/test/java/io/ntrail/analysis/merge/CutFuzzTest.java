package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Arbitrary bytes as a recording that is cut. The stored inputs are recordings of the testkit's
 * writer, and the samples.
 *
 * <p>To fuzz it: {@code ./check --only-fuzz --fuzz 600 --target CutFuzzTest}.
 */
class CutFuzzTest {
  private static final int BYTE = 0xFF;

  /**
   * Cuts events.
   *
   * @param data the bits of the first byte choose compression and a processor, the next two bytes a
   *     part of the time; the recording is behind them
   */
  @FuzzTest(maxDuration = "130s")
  void recordings(byte[] data) throws IOException {
    if (data.length < 3) {
      return;
    }
    byte[] file = Arrays.copyOfRange(data, 3, data.length);
    CutRules.Part part = new CutRules.Part(data[1] & BYTE, data[2] & BYTE, (data[0] >> 1 & 7) - 1);
    Path folder = Files.createTempDirectory("cut-fuzz");
    try {
      new CutRules(folder).check(file, part, (data[0] & 1) != 0);
    } finally {
      Files.deleteIfExists(folder.resolve("cut-rules.etl"));
      Files.delete(folder);
    }
  }

  /**
   * Cuts calls.
   *
   * @param data the bits of the first byte choose the format, threads, and whether functions are
   *     asked for, the next two bytes a part of the time; the recording is behind them
   */
  @FuzzTest(maxDuration = "130s")
  void calls(byte[] data) throws IOException {
    if (data.length < 3) {
      return;
    }
    boolean isOfNTrace = (data[0] & 1) != 0;
    byte[] rest = Arrays.copyOfRange(data, 3, data.length);
    byte[] file = isOfNTrace ? rest : MendedNtr.of(rest);
    String name = isOfNTrace ? "whole.jtrc" : "whole.ntr";
    CallRecording opened;
    try {
      opened = SelectedCalls.open(file, name);
    } catch (CannotGoOn | DamagedInput e) {
      return;
    }
    try (CallRecording whole = opened) {
      int count = whole.threads().size();
      List<Integer> threads =
          IntStream.range(0, count).filter(i -> (data[0] >> 1 + i % 4 & 1) == 0).boxed().toList();
      long first = first(whole);
      long from = first + (data[1] & BYTE);
      long to = from + (data[2] & BYTE);
      String[] functions = (data[0] & 0x40) == 0 ? new String[0] : new String[] {"*f1"};
      byte[] cut =
          SelectedCalls.cut(
              file, name, SelectedCalls.choice(threads, from, to, functions), new ArrayList<>());
      assertEquals(List.of(), ReferenceNtrReader.read(cut).holes());
      if (isOfNTrace && functions.length == 0) {
        CallsCutTest.compare(whole, cut, threads, from, to);
      } else {
        // Chunks with right checksums that contradict each other have calls that depend on where
        // they are read from. The cut is sound in any case.
        isSound(whole, threads, cut);
      }
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
    }
  }

  private static void isSound(CallRecording whole, List<Integer> threads, byte[] bytes) {
    // Damage is found by whoever reads it.
    threads.forEach(thread -> SelectedCalls.all(whole, thread));
    try (CallRecording cut = SelectedCalls.open(bytes, "cut.ntr")) {
      for (int thread = 0; thread < cut.threads().size(); thread++) {
        SelectedCalls.all(cut, thread);
        assertTrue(SelectedCalls.isBalanced(cut.counts(thread)));
      }
      // Definitions that contradict each other are in the cut as well.
      assertEquals(told(whole), told(cut));
    }
  }

  private static List<String> told(CallRecording recording) {
    return recording.gaps().stream().map(gap -> gap.what() + ": " + gap.why()).sorted().toList();
  }

  private static long first(CallRecording recording) {
    return IntStream.range(0, recording.threads().size())
        .mapToLong(i -> recording.threads().get(i).firstTime())
        .min()
        .orElse(0);
  }
}
