package io.ntrail.analysis.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kind of a file is what its bytes say; names only say here what the bytes have to be. */
class FileKindTest {
  /** Files of the shared folder that are not what files with such a name usually are. */
  private static final List<String> OTHERS =
      List.of("pdb/sentry/portable.pdb.gz", "pdb/sentry/source-links-only.pdb.gz");

  /**
   * The ring of the first thread is larger than the part of a file in which PSBs are looked for.
   */
  @Test
  void aFileOfIptSysIsAProcessorTraceWhereverItsFirstPsbIs() {
    byte[] ring = new byte[1 << 20];
    byte[] psb = new PtPackets(false).psb().psbEnd().toByteArray();
    System.arraycopy(psb, 0, ring, ring.length / 2, psb.length);
    byte[] file = ProcessorTraceEvents.file(ProcessorTraceEvents.thread(4008, 1, 3, 84, 0, ring));
    try (InputFile input = InputFile.of(file, "ipt")) {
      assertEquals(FileKind.PT, FileKind.of(input));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "etl,            .etl,         ETL,   20",
    "ntrace,         .jtrc,        JTRC,   3",
    "dumps,          .dmp,         DUMP,  20",
    "pdb,            .pdb,         PDB,   40",
    "pdb/mozilla,    .pd_,         PDB,    1",
    "pe/toolchains,  .exe,         IMAGE, 10",
    "pe/windows,     .dll,         IMAGE,  3",
    "pe/windows,     .sys,         IMAGE,  2",
    "exports/folded, .txt,         COLLAPSED, 6",
    "exports,        .json,        OTHER, 20",
    "exports,        .pftrace,     OTHER,  5",
    "pt,             .pt,          PT,     5",
    "pt/lldb,        .trace,       PT,     3",
    "etl/manifests,  .man,         OTHER,  4",
    ".,              readme.md,    OTHER,  8"
  })
  void sharedFilesAreWhatTheyAre(String folder, String suffix, FileKind kind, int least)
      throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path root = TestData.folder().orElseThrow();
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    try (Stream<Path> files = Files.walk(root.resolve(folder))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = root.relativize(file).toString().replace('\\', '/');
        String unpacked = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
        if (!unpacked.toLowerCase(Locale.ROOT).endsWith(suffix) || OTHERS.contains(name)) {
          continue;
        }
        seen++;
        FileKind found = kind(file);
        if (found != kind && !isNoRealFolded(kind, name)) {
          wrong.add(name + " " + found);
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(seen >= least, folder + " has " + seen + " files " + suffix);
  }

  /** The folder of collapsed stacks also has lists and results of other tools. */
  private static boolean isNoRealFolded(FileKind kind, String name) {
    return kind == FileKind.COLLAPSED && !name.startsWith("exports/folded/ss-");
  }

  private static FileKind kind(Path file) {
    List<InputFile> inputs = Archives.open(file, _ -> true, new Gaps());
    try {
      return FileKind.of(inputs.getFirst());
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private static FileKind kind(byte[] content) {
    try (InputFile input = InputFile.of(content, "shop.etl")) {
      return FileKind.of(input);
    }
  }

  private static FileKind kind(String latin1) {
    return kind(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  @ParameterizedTest
  @CsvSource({
    "shop.etl,ETL",
    "shop.ntr,NTR",
    "shop.jtrc,JTRC",
    "shopd.exe,IMAGE",
    "shopd.pdb,PDB",
    "shop.dmp,DUMP"
  })
  void samplesAreWhatTheyAre(String name, FileKind kind) {
    assertEquals(kind, kind(TestData.projectRoot().resolve("samples").resolve(name)));
  }

  @Test
  void namesDoNotMatter() {
    assertEquals(FileKind.OTHER, kind(""));
    assertEquals(FileKind.OTHER, kind("some text"));
    assertEquals(FileKind.OTHER, kind("\u00FF\u00D8\u00FF\u00E0 JFIF"));
    assertEquals(FileKind.IMAGE, kind("MZ\u0090\0\3"));
    assertEquals(FileKind.DUMP, kind("MDMP\u0093\u00A7"));
    assertEquals(FileKind.DUMP, kind("PAGEDU64"));
    assertEquals(FileKind.DUMP, kind("PAGEDUMP"));
    assertEquals(FileKind.DUMP, kind("USERDU64"));
    assertEquals(FileKind.COLLAPSED, kind("main;work 3\n"));
    assertEquals(FileKind.COLLAPSED, kind("<unknown>;[idle] 3\n"));
  }

  @Test
  void theTextAtTheStartOfAPdbIsNotAStack() {
    assertEquals(FileKind.PDB, kind("Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0"));
  }

  @Test
  void aCutOrDestroyedHeaderIsNothingKnown() throws IOException {
    byte[] whole = Files.readAllBytes(TestData.projectRoot().resolve("samples/shop.etl"));
    byte[] destroyed = whole.clone();
    Arrays.fill(destroyed, 0, 200, (byte) 0);
    assertEquals(FileKind.OTHER, kind(Arrays.copyOf(whole, 50)));
    assertEquals(FileKind.OTHER, kind(destroyed));
  }

  @Test
  void mostKindsHaveACommand() {
    assertEquals("info", FileKind.ETL.command());
    assertEquals("calls", FileKind.NTR.command());
    assertEquals("image", FileKind.IMAGE.command());
    assertEquals("symbols", FileKind.PDB.command());
    assertEquals("stacks", FileKind.DUMP.command());
    assertEquals("", FileKind.OTHER.command());
  }

  @Test
  void onlyRecordingsHaveAKindOfRecording() {
    assertEquals(RecordingKind.ETW, FileKind.ETL.recording());
    assertEquals(RecordingKind.CALLS, FileKind.NTR.recording());
    assertEquals(RecordingKind.CALLS, FileKind.JTRC.recording());
    assertEquals(RecordingKind.COLLAPSED, FileKind.COLLAPSED.recording());
    assertEquals(RecordingKind.DUMP, FileKind.DUMP.recording());
    for (FileKind kind : List.of(FileKind.IMAGE, FileKind.PDB, FileKind.OTHER)) {
      assertEquals(null, kind.recording(), kind.name());
    }
  }
}
