package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.cab.Cabinets.Contents;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.compress.LzxEncoder.Block;
import io.ntrail.testkit.compress.LzxEncoder.Coding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Others' programs and our reader take the same out of a cabinet. Those of the testkit are judged
 * so, too: what they are compared with elsewhere is what everybody reads in them.
 */
class CabinetToolsTest {
  private static final ExternalTool CABEXTRACT = ExternalTool.of("cabextract", "cabextract");
  private static final ExternalTool SEVEN_ZIP = ExternalTool.of("7z", "7z");
  private static final ExternalTool GCAB = ExternalTool.of("gcab", "gcab");

  /** A cabinet with one file, {@code data}. */
  private static final class Sample {
    private final byte[] cabinet;
    private final byte[] data;

    Sample(byte[] cabinet, byte[] data) {
      this.cabinet = cabinet;
      this.data = data;
    }
  }

  private static Sample lzx(byte[] data, int windowBits, int translation, List<Block> blocks) {
    return new Sample(
        new CabinetWriter()
            .lzx(data, windowBits, translation, blocks)
            .file("data", 0, data.length)
            .write(),
        data);
  }

  /** Fixed shapes, and random ones. */
  private static List<Sample> samples() {
    List<Sample> samples = new ArrayList<>();
    byte[] odd = new byte[80_001];
    new Random(3).nextBytes(odd);
    System.arraycopy(odd, 0, odd, 40_000, 20_000);
    List<Block> oddBlocks =
        List.of(
            new Block(Coding.VERBATIM, 1),
            new Block(Coding.UNCOMPRESSED, 32_767),
            new Block(Coding.UNCOMPRESSED, 3),
            new Block(Coding.ALIGNED, 100_000));
    samples.add(lzx(odd, 15, 12_000_000, oddBlocks));
    samples.add(
        new Sample(
            new CabinetWriter().msZip(odd).file("data", 0, odd.length).write(), odd.clone()));
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 300 : 21,
        g -> {
          byte[] data = Packable.data(g, 400_000);
          int translation = g.oneOf(0, 12_000_000, data.length, 1);
          samples.add(
              lzx(data, 15 + samples.size() % 7, translation, Packable.blocks(g, data.length)));
        });
    return samples;
  }

  private static void judge(ExternalTool tool, Path folder, String... words)
      throws IOException, InterruptedException {
    assumeTrue(tool.available(), tool.missing());
    for (Sample sample : samples()) {
      Files.write(folder.resolve("made.cab"), sample.cabinet);
      Files.deleteIfExists(folder.resolve("data"));
      ExternalTool.Outcome outcome = tool.run(folder, Map.of(), words);
      assertEquals(0, outcome.exitCode(), () -> outcome.output() + outcome.errors());
      assertArrayEquals(sample.data, Files.readAllBytes(folder.resolve("data")), "the tool");
      assertArrayEquals(sample.data, Cabinets.contents(sample.cabinet).bytes("data"), "ours");
    }
  }

  @Test
  void cabextractReadsTheSame(@TempDir Path folder) throws IOException, InterruptedException {
    judge(CABEXTRACT, folder, "-q", "made.cab");
  }

  @Test
  void sevenZipReadsTheSame(@TempDir Path folder) throws IOException, InterruptedException {
    judge(SEVEN_ZIP, folder, "x", "-y", "made.cab");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatGcabCompressesIsDecompressed(boolean zipped, @TempDir Path folder)
      throws IOException, InterruptedException {
    assumeTrue(GCAB.available(), GCAB.missing());
    byte[] large = new byte[300_000];
    Random random = new Random(5);
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (random.nextInt(100) == 0 ? random.nextInt() : i % 50);
    }
    Files.write(folder.resolve("large"), large);
    Files.writeString(folder.resolve("small"), "small");
    List<String> words = new ArrayList<>(List.of("-c", "made.cab", "small", "large"));
    if (zipped) {
      words.addFirst("-z");
    }
    ExternalTool.Outcome outcome = GCAB.run(folder, Map.of(), words.toArray(String[]::new));
    assertEquals(0, outcome.exitCode(), outcome.errors());
    Contents contents = Cabinets.contents(Files.readAllBytes(folder.resolve("made.cab")));
    assertArrayEquals(large, contents.bytes("large"));
    assertArrayEquals("small".getBytes(StandardCharsets.US_ASCII), contents.bytes("small"));
    assertEquals(List.of(), contents.gaps());
  }
}
