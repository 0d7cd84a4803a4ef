package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.calls.JtrcWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text out of files, names, archives and paths that tries to steer the terminal. */
class HostileTextTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  /** Red, a title, the other direction, the line's begin, a line of its own. */
  private static final String HOSTILE =
      "a\u001B[31m\u001B]0;x\u0007\u009B2J\u202Eb\u200E\u200F\u061C\u2066\u2028c\rd\nntrail: e";

  @TempDir private Path folder;

  private static void isHarmless(Object what, Cli.Result result) {
    for (String text : List.of(result.out(), result.err())) {
      // Lines end with LF, and help has no tabs.
      String within = text.replace("\n", "");
      assertFalse(TextSanitizer.steers(within), () -> what + ": " + result);
      assertTrue(
          what.toString().contains("csv")
              || text.lines().noneMatch(line -> line.startsWith("ntrail: e")),
          () -> what + ": " + result);
    }
  }

  private void harmless(Object... words) {
    isHarmless(List.of(words), Cli.run(words));
  }

  @Test
  void namesOfFilesStayOnTheirLine() throws IOException {
    Path etl = Files.copy(SAMPLES.resolve("shop.etl"), folder.resolve(HOSTILE + ".etl"));
    Path dll = Files.write(folder.resolve(HOSTILE + ".dll"), SampleImage.make());
    Path calls = Files.copy(SAMPLES.resolve("shop.ntr"), folder.resolve(HOSTILE + ".ntr"));
    Path stacks = Files.writeString(folder.resolve(HOSTILE + ".txt"), HOSTILE + ";b 3\nc 4\n");
    Path nothing = folder.resolve(HOSTILE + ".none");
    Path wrong = Files.writeString(folder.resolve(HOSTILE + ".wrong"), "nothing of ours");
    for (String format : List.of("text", "json", "jsonl", "csv")) {
      for (List<Object> words :
          List.<List<Object>>of(
              List.of("info", etl),
              List.of("info", calls),
              List.of("info", nothing),
              List.of("info", wrong),
              List.of("info", folder.resolve(HOSTILE)),
              List.of("events", etl, "-n", "3"),
              List.of("events", etl, "--count", "-n", "3"),
              List.of("events", etl, "-e", HOSTILE),
              List.of("events", etl, "-p", HOSTILE),
              List.of("events", etl, "--where", HOSTILE + " == 1"),
              List.of("events", etl, "--where", "x == '" + HOSTILE + "'"),
              List.of("events", etl, "--manifest", wrong),
              List.of("events", etl, "--tmf", nothing),
              List.of("profile", etl, "-y", folder),
              List.of("profile", etl, "-y", nothing),
              List.of("profile", etl, "-e", HOSTILE),
              List.of("profile", etl, "--callers", HOSTILE),
              List.of("profile", calls),
              List.of("stacks", etl, "--at", "1"),
              List.of("stacks", etl, "--at", "1", "--same"),
              List.of("stacks", etl, "-e", HOSTILE),
              List.of("stacks", etl, "-e", "*"),
              List.of("calls", calls),
              List.of("calls", calls, "-t", HOSTILE),
              List.of("calls", etl),
              List.of("calls", calls, "-y", nothing),
              List.of("diff", stacks, stacks),
              List.of("diff", stacks, wrong),
              List.of("image", dll),
              List.of("image", dll, "--functions"),
              List.of("image", dll, "--unwind", HOSTILE),
              List.of("image", folder),
              List.of("image", wrong),
              List.of("symbols", dll),
              List.of("symbols", dll, "-y", folder),
              List.of("symbols", etl, "-y", folder),
              List.of("symbols", "--undecorate", HOSTILE))) {
        List<Object> all = new ArrayList<>(words);
        all.addAll(List.of("--format", format));
        harmless(all.toArray());
        all.addAll(List.of("-o", folder.resolve("no such folder " + HOSTILE).resolve("out")));
        harmless(all.toArray());
      }
    }
    harmless("export", stacks, "--to", "collapsed");
    harmless("export", etl, "--to", HOSTILE);
    harmless("export", etl, "--to", "collapsed", "-o", folder.resolve(HOSTILE + ".out"));
  }

  @Test
  void wordsOfTheCommandLineStayOnTheirLine() {
    harmless(HOSTILE);
    harmless("info", "--" + HOSTILE);
    harmless("info", "--format", HOSTILE);
    harmless("help", HOSTILE);
    harmless("completion", HOSTILE);
    harmless("doctor", HOSTILE);
    harmless("trace", "-f", "x!*", "--on", HOSTILE, "--", "x.exe");
    harmless("info", "-vv", HOSTILE);
  }

  @Test
  void membersOfArchivesStayOnTheirLine() throws IOException {
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put(HOSTILE + ".txt", new byte[3]);
    Path without = Recordings.zip(folder.resolve("without.zip"), members);
    members.put(HOSTILE + ".etl", Files.readAllBytes(SAMPLES.resolve("shop.etl")));
    Path with = Recordings.zip(folder.resolve("with.zip"), members);
    members.put(HOSTILE + "2.etl", new byte[100]);
    Path damaged = Recordings.zip(folder.resolve("damaged.zip"), members);
    for (Path zip : List.of(without, with, damaged)) {
      for (String command : List.of("info", "events", "profile", "calls", "image", "symbols")) {
        for (String format : List.of("text", "json", "csv")) {
          harmless(command, zip, "--format", format);
        }
      }
    }
  }

  @Test
  void namesInRecordingsStayOnTheirLine() throws IOException {
    UUID pdb = UUID.fromString("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708");
    byte[] bytes =
        new JtrcWriter()
            .image(0x10000000L, 0x7000, "\\shop\\" + HOSTILE + ".dll", pdb, 2, "a\u001B[31m.pdb")
            .trace(1, 2, new long[] {0, 10, 0x10001010L, 0xB83C81D4L})
            .toByteArray();
    Path file = Files.write(folder.resolve("hostile.jtrc"), bytes);
    for (String format : List.of("text", "json", "jsonl", "csv")) {
      harmless("calls", file, "--format", format);
      harmless("calls", file, "--flat", "--format", format);
      harmless("info", file, "--format", format);
      harmless("profile", file, "--format", format);
      harmless("profile", file, "--by", "module", "--format", format);
    }
    harmless("profile", file, "--format", "collapsed");
    harmless("profile", file, "--tree");
    harmless("export", file, "--to", "collapsed");
  }

  @Test
  void jsonHasTheExactName() throws IOException {
    Path etl = Files.copy(SAMPLES.resolve("shop.etl"), folder.resolve(HOSTILE + ".etl"));
    Cli.Result result = Cli.run("info", etl, "--format", "json");
    isHarmless("json", result);
    assertEquals(etl.toString(), result.json().get("files").array().getFirst().get("file").text());
  }

  @Test
  void csvKeepsEndsOfLinesInQuotes() throws IOException {
    Path stacks = Files.writeString(folder.resolve("a\nb\u001Bc.ntr"), "");
    Files.write(stacks, Files.readAllBytes(SAMPLES.resolve("shop.ntr")));
    String csv = Cli.run("info", stacks, "--format", "csv").out();
    assertTrue(csv.contains("\"" + folder + "/a\nb\uFFFDc.ntr\",ntr,"), csv);
  }
}
