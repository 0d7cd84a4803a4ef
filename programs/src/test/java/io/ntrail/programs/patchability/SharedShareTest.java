package io.ntrail.programs.patchability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.Tsv;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * The shares of functions with padding, beside those that two other programs measured on the same
 * images.
 *
 * <p>Both count as we do but for habits of theirs, which were found by trying and are played back
 * here ({@link Habits}); with them every number is equal. Where a habit moves a number of ours by
 * more than the rounding, the image is named in the output of the test. The share itself (padding
 * and first instruction) of the collected images needs none of them.
 */
class SharedShareTest {
  /** Known differences of the other programs. */
  private enum Habits {
    /**
     * Of the collected images: it knows fewer nops; and it sees no padding in front of a function
     * that begins in the first 32 bytes of its section, as we do not either.
     */
    COLLECTED,
    /** Of Wine's images: it takes what lies in front of a section, zeros, for padding. */
    WINE
  }

  /** Both programs know these nops of several bytes and no other, such as 66 90. */
  private static final List<byte[]> THEIR_NOPS =
      List.of(
              "66662E0F1F840000000000",
              "662E0F1F840000000000",
              "660F1F840000000000",
              "0F1F840000000000",
              "0F1F8000000000",
              "0F1F440000",
              "0F1F4000",
              "0F1F00",
              "CC",
              "90")
          .stream()
          .map(HexFormat.of()::parseHex)
          .toList();

  private static final int READ_AT_ONCE = 32;

  /** Counts in the order of the tables' columns, and ours. */
  private static final class Counts {
    private final int[] theirs;
    private final HotPatchStatistics ours;

    Counts(int[] theirs, HotPatchStatistics ours) {
      this.theirs = theirs;
      this.ours = ours;
    }

    int[] theirs() {
      return theirs;
    }

    int[] own() {
      return new int[] {
        ours.functions(),
        ours.firstLong(),
        ours.padded(),
        ours.both(),
        ours.bothWithNops(),
        ours.moveFirst(),
        ours.table(),
        ours.tableBoth(),
        ours.exports(),
        ours.exportsBoth(),
        ours.exportsBothWithNops()
      };
    }
  }

  private static Counts count(byte[] file, String name, Habits habits) {
    try (InputFile input = InputFile.of(file, name)) {
      PeImage image = PeImage.ofFile(input);
      int wanted = image.headers().isWide() ? 6 : 5;
      Patchability patchability = Patchability.of(image);
      int[] theirs = new int[11];
      for (FunctionPatch patch : patchability.list()) {
        long rva = patch.function().rva();
        long section = image.section(rva).orElseThrow().rva();
        long from = habits == Habits.WINE ? 0 : section;
        boolean seen = habits == Habits.WINE || rva - section >= READ_AT_ONCE;
        boolean first = patch.firstLength() >= 2;
        int run = patch.padding().run();
        if (habits == Habits.WINE && (run == rva - section || rva - section < READ_AT_ONCE)) {
          run = BytewisePadding.of(image.view(), 0, rva).run();
        }
        boolean padded = seen && run >= wanted;
        boolean nops = padded || seen && theirNops(image.view(), from, rva) >= wanted;
        boolean table = patch.function().is(Source.FUNCTION_TABLE);
        boolean export = patch.function().is(Source.EXPORT);
        boolean[] row = {
          true,
          first,
          padded,
          first && padded,
          first && nops,
          first && image.view().u16(rva) == 0xFF8B,
          table,
          table && first && padded,
          export,
          export && first && padded,
          export && first && nops
        };
        for (int i = 0; i < row.length; i++) {
          theirs[i] += row[i] ? 1 : 0;
        }
      }
      return new Counts(theirs, patchability.share());
    }
  }

  private static int theirNops(ImageView view, long from, long rva) {
    int count = 0;
    int more = 1;
    while (more > 0 && count < 64) {
      more = 0;
      for (byte[] nop : THEIR_NOPS) {
        long at = rva - count - nop.length;
        if (more == 0 && at >= from && view.has(at, nop.length)) {
          more =
              Arrays.equals(view.bytes(at, nop.length).array(0, nop.length), nop) ? nop.length : 0;
        }
      }
      count += more;
    }
    return count;
  }

  /** Returns the paths of the images by the names that the table has for them. */
  private static Map<String, List<Path>> places() throws IOException {
    Map<String, List<Path>> places = new HashMap<>();
    try (var files = Files.walk(TestData.file("pdb"))) {
      files
          .filter(Files::isRegularFile)
          .forEach(
              file -> places.computeIfAbsent(unpacked(file), _ -> new ArrayList<>()).add(file));
    }
    Map<String, Path> samples = new HashMap<>();
    for (PeSample sample : PeSamples.all()) {
      if (sample.member().isEmpty()) {
        samples.put(sample.name(), sample.file());
        places.computeIfAbsent(sample.name(), _ -> new ArrayList<>()).add(sample.file());
      }
    }
    // Files of two folders were renamed; the page about them has the path they came from.
    for (String line : Files.readAllLines(TestData.file("pe/README.md"))) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 6 && cells[4].contains("/")) {
        Path file = samples.get(cells[1].strip().replaceFirst("\\.gz$", ""));
        String original = cells[4].strip().replaceFirst(".*/", "");
        if (file != null) {
          places.computeIfAbsent(original, _ -> new ArrayList<>()).add(file);
        }
      }
    }
    return places;
  }

  private static String unpacked(Path file) {
    return file.getFileName().toString().replaceFirst("\\.gz$", "");
  }

  private static byte[] read(Path file) {
    try {
      if (file.toString().endsWith(".gz")) {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
          return in.readAllBytes();
        }
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void report(String line) {
    System.out.println("Shares of padded functions: " + line);
  }

  /** Counts and percentages as the table of the collected images has them. */
  private static double[] row(int[] c) {
    return new double[] {
      c[0],
      HotPatchStatistics.percent(c[1], c[0]),
      HotPatchStatistics.percent(c[2], c[0]),
      HotPatchStatistics.percent(c[3], c[0]),
      HotPatchStatistics.percent(c[4], c[0]),
      HotPatchStatistics.percent(c[5], c[0]),
      c[6],
      HotPatchStatistics.percent(c[7], c[6]),
      c[8],
      HotPatchStatistics.percent(c[9], c[8]),
      HotPatchStatistics.percent(c[10], c[8])
    };
  }

  private static double[] numbers(Map<String, String> row) {
    return row.values().stream()
        .skip(3)
        .mapToDouble(cell -> cell.equals("-") ? 0 : Double.parseDouble(cell))
        .toArray();
  }

  private static boolean near(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      if (Math.abs(a[i] - b[i]) > 0.1) {
        return false;
      }
    }
    return a.length == b.length;
  }

  @Test
  void everyCollectedImageHasTheMeasuredShares() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, List<Path>> places = places();
    List<String> missing = new ArrayList<>();
    Map<String, String> wrong = new TreeMap<>();
    Map<String, String> habits = new TreeMap<>();
    int equal = 0;
    for (Map<String, String> row : Tsv.rows("pe/expected/hotpatch-share.tsv")) {
      String image = row.getOrDefault("image", "");
      double[] expected = numbers(row);
      List<Path> files = places.getOrDefault(image, List.of());
      String seen = "";
      boolean met = false;
      for (Path file : files) {
        Counts counts;
        try {
          counts = count(read(file), image, Habits.COLLECTED);
        } catch (CannotGoOn e) {
          continue;
        }
        if (near(expected, row(counts.theirs()))) {
          met = true;
          assertEquals(expected[3], row(counts.own())[3], 0.1, image);
          if (!near(expected, row(counts.own()))) {
            habits.put(image, difference(expected, row(counts.own())));
          }
        } else {
          seen += file.getFileName() + ": " + difference(expected, row(counts.theirs()));
        }
      }
      if (met) {
        equal++;
      } else if (files.isEmpty()) {
        missing.add(image);
      } else {
        wrong.put(image, seen);
      }
    }
    report(equal + " rows equal; moved by a habit of the other program: " + habits);
    report(missing.size() + " rows without an image at hand: " + missing);
    assertEquals(Map.of(), wrong);
    assertTrue(equal >= 60, equal + " rows compared");
  }

  private static String difference(double[] expected, double[] found) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < expected.length; i++) {
      if (Math.abs(expected[i] - found[i]) > 0.1) {
        text.append(String.format("column %d: %.1f is %.1f; ", i + 4, expected[i], found[i]));
      }
    }
    return text.toString();
  }

  @Test
  void everyImageOfWineHasTheMeasuredCounts() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assumeTrue(WineImages.available(), WineImages.MISSING);
    Map<String, Path> files = new HashMap<>();
    for (Path file : WineImages.all()) {
      if (file.toString().contains("/x86_64-windows/")) {
        files.put(file.getFileName().toString(), file);
      }
    }
    List<String> missing = new ArrayList<>();
    Map<String, String> wrong = new TreeMap<>();
    int equal = 0;
    int habits = 0;
    for (Map<String, String> row : Tsv.rows("pe/expected/hotpatch-share-wine8.tsv.gz")) {
      String image = row.getOrDefault("image", "");
      Path file = files.get(image);
      if (file == null) {
        missing.add(image);
        continue;
      }
      Counts counts = count(read(file), image, Habits.WINE);
      // The column between is of functions that begin with a lea of eight bytes: not ours.
      double[] expected = numbers(row);
      double[] theirs = Arrays.stream(counts.theirs()).asDoubleStream().toArray();
      double[] own = Arrays.stream(counts.own()).asDoubleStream().toArray();
      expected[5] = theirs[5] = own[5] = 0;
      if (near(expected, theirs)) {
        equal++;
        habits += near(expected, own) ? 0 : 1;
      } else {
        wrong.put(image, difference(expected, theirs));
      }
    }
    report(equal + " rows equal, " + habits + " of them moved by a habit of the other program");
    report(missing.size() + " rows without an image at hand: " + missing);
    // A library that Wine takes from elsewhere, in another version than the measured one.
    wrong.remove("zlib1.dll");
    assertEquals(Map.of(), wrong);
    assertTrue(equal >= 500, equal + " rows compared");
  }
}
