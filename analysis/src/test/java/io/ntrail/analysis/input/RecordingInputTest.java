package io.ntrail.analysis.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.cab.CabinetWriter;
import io.ntrail.testkit.compress.ZipWriter;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is named, there is one recording, or a reason why not. */
class RecordingInputTest {
  private static final byte[] STACKS = "main;work 3\n".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;
  private byte[] etl = {};
  private byte[] calls = {};
  private byte[] jtrc = {};
  private byte[] dump = {};

  @BeforeEach
  void samples() throws IOException {
    Path samples = TestData.projectRoot().resolve("samples");
    etl = Files.readAllBytes(samples.resolve("shop.etl"));
    calls = Files.readAllBytes(samples.resolve("shop.ntr"));
    jtrc = Files.readAllBytes(samples.resolve("shop.jtrc"));
    dump = new MinidumpBuilder().system(9, 10, 0, 19045).toByteArray();
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private Path gzip(String name, byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return file(name, packed.toByteArray());
  }

  private static final class Member {
    final String name;
    final byte[] content;

    Member(String name, byte[] content) {
      this.name = name;
      this.content = content;
    }
  }

  private Path zip(String name, Member... members) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(packed)) {
      for (Member member : members) {
        out.putNextEntry(new ZipEntry(member.name));
        out.write(member.content);
        out.closeEntry();
      }
    }
    return file(name, packed.toByteArray());
  }

  private static RecordingKind kind(Path file, Ability... wanted) {
    try (RecordingInput input = RecordingInput.of(List.of(file), wanted);
        Recording recording = input.open()) {
      for (Ability ability : Ability.values()) {
        assertEquals(recording.kind().has(ability), input.has(ability), ability.name());
      }
      return recording.kind();
    }
  }

  private static CannotGoOn refusal(Ability wanted, Path... files) {
    return assertThrows(
        CannotGoOn.class,
        () -> {
          try (RecordingInput input = RecordingInput.of(List.of(files), wanted)) {
            input.open().close();
          }
        });
  }

  @Test
  void theBytesSayWhatItIs() throws IOException {
    for (String name : List.of("shop.etl", "shop.ntr", "shop.txt", "shop")) {
      assertEquals(RecordingKind.ETW, kind(file(name, etl), Ability.NAMED_STACKS), name);
      assertEquals(RecordingKind.CALLS, kind(file(name, calls), Ability.NAMED_STACKS), name);
      assertEquals(RecordingKind.CALLS, kind(file(name, jtrc), Ability.NAMED_STACKS), name);
      assertEquals(RecordingKind.COLLAPSED, kind(file(name, STACKS), Ability.NAMED_STACKS), name);
      assertEquals(RecordingKind.DUMP, kind(file(name, dump), Ability.MEMORY), name);
      assertEquals(
          RecordingKind.DUMP, kind(file(name, dump), Ability.EVENTS, Ability.MEMORY), name);
    }
  }

  @Test
  void compressedFilesAreOpened() throws IOException {
    assertEquals(RecordingKind.ETW, kind(gzip("a.gz", etl), Ability.WEIGHTED_STACKS));
    assertEquals(RecordingKind.CALLS, kind(gzip("b.gz", calls), Ability.WEIGHTED_STACKS));
    assertEquals(RecordingKind.COLLAPSED, kind(gzip("c.gz", STACKS), Ability.NAMED_STACKS));
    assertEquals(RecordingKind.DUMP, kind(gzip("d.gz", dump), Ability.THREADS));
    byte[] cabinet = new CabinetWriter().msZip(dump).file("crash.dmp", 0, dump.length).write();
    assertEquals(RecordingKind.DUMP, kind(file("e.cab", cabinet), Ability.MEMORY));
  }

  @Test
  void ofAnArchiveTheMembersOfAKindAreOpened() throws IOException {
    Path both =
        zip(
            "both.zip",
            new Member("README", STACKS),
            new Member("a.etl", etl),
            new Member("a.ntr", calls));
    assertEquals(RecordingKind.CALLS, kind(both, Ability.WEIGHTED_STACKS));
    assertEquals(RecordingKind.CALLS, kind(both, Ability.CALLS));
    assertEquals(RecordingKind.ETW, kind(both, Ability.EVENTS));
    Path events = zip("events.zip", new Member("A.ETL", etl), new Member("picture.png", STACKS));
    assertEquals(RecordingKind.ETW, kind(events, Ability.NAMED_STACKS));
    Path dumps = zip("dumps.zip", new Member("a.mdmp", dump), new Member("report.txt", STACKS));
    assertEquals(RecordingKind.DUMP, kind(dumps, Ability.MEMORY));
    Path stacks = zip("stacks.zip", new Member("a.folded", STACKS));
    assertEquals(RecordingKind.COLLAPSED, kind(stacks, Ability.NAMED_STACKS));
  }

  @Test
  void anEmptyFileIsOfTheKindOfItsName() throws IOException {
    byte[] none = {};
    assertEquals(RecordingKind.COLLAPSED, kind(file("a.folded", none), Ability.NAMED_STACKS));
    assertEquals(Reason.EMPTY, refusal(Ability.NAMED_STACKS, file("a.etl", none)).reason());
    assertEquals(Reason.EMPTY, refusal(Ability.CALLS, file("a.ntr", none)).reason());
  }

  @Test
  void aDestroyedHeaderDoesNotHideARecording() throws IOException {
    byte[] destroyed = Damage.garbageBuffer(EtlShapes.inversions(1, 2000).toByteArray(), 0, 1);
    assertEquals(RecordingKind.ETW, kind(file("a.etl", destroyed), Ability.NAMED_STACKS));
  }

  /** Buffers of 64 KiB, as Windows makes them: the second one is behind the first bytes. */
  @Test
  void aDestroyedHeaderDoesNotHideARecordingInAnArchive() throws IOException {
    EtlSettings settings = EtlSettings.windows11().bufferSize(1 << 16);
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 4; i++) {
      long time = settings.startTicks() + i;
      writer.buffer(
          EtlBuffer.of(0, 1, i + 1L).add(EtlRecords.perfInfo(8, 0x0F2E).time(time).build()));
    }
    byte[] destroyed = Damage.garbageBuffer(writer.toByteArray(), 0, 1);
    for (Path file :
        List.of(gzip("a.etl.gz", destroyed), zip("a.zip", new Member("a.etl", destroyed)))) {
      assertEquals(RecordingKind.ETW, kind(file, Ability.WEIGHTED_STACKS), file.toString());
    }
  }

  @Test
  void aMemberThatIsNoRecordingIsRefusedByItsBeginning() throws IOException {
    long size = 10L << 30;
    byte[] packed = ZipWriter.deflated(new byte[0], size);
    Path zeros = file("zeros.zip", new ZipWriter().member("a.etl", 0, 8, packed, size, 0).write());
    Path picture =
        file(
            "picture.zip",
            new ZipWriter().padded("a.etl", new byte[] {-1, -40, -1, -32}, 100_000).write());
    for (Ability wanted : List.of(Ability.EVENTS, Ability.WEIGHTED_STACKS, Ability.NAMED_STACKS)) {
      for (Path file : List.of(zeros, picture)) {
        CannotGoOn refusal =
            ProcessorTime.within(Duration.ofSeconds(5), () -> refusal(wanted, file));
        assertEquals(Reason.OTHER_KIND, refusal.reason());
        assertTrue(
            refusal.message().startsWith(file + "!/a.etl is not a recording"), refusal.message());
      }
    }
  }

  @Test
  void aMemberThatIsNoRecordingIsAGapAmongOthers() throws IOException {
    for (byte[] damaged : List.of(new byte[0], new byte[1000], new byte[1_000_000])) {
      Path file = zip("a.zip", new Member("a.etl", damaged), new Member("b.etl", etl));
      try (Recording recording = RecordingInput.openEtw(List.of(file))) {
        assertEquals(List.of(file + "!/a.etl"), recording.gaps().stream().map(Gap::file).toList());
      }
    }
  }

  @Test
  void anArchiveOfWhichNoMemberIsARecordingIsRefused() throws IOException {
    Path file = zip("a.zip", new Member("a.etl", STACKS), new Member("b.etl", new byte[1000]));
    CannotGoOn refusal = refusal(Ability.EVENTS, file);
    assertEquals(Reason.OTHER_KIND, refusal.reason());
    assertTrue(refusal.message().startsWith(file + "!/a.etl is not a recording"));
  }

  @Test
  void aCallRecordingInAnArchiveIsNamedWithItsCommand() throws IOException {
    byte[] large = Arrays.copyOf(calls, 200_000);
    Path file = gzip("a.ntr.gz", large);
    assertEquals("ntrail calls " + file, refusal(Ability.EVENTS, file).nextStep());
    Path events = gzip("a.etl.gz", Arrays.copyOf(etl, etl.length + 200_000));
    assertEquals("ntrail profile " + events + " --tree", refusal(Ability.CALLS, events).nextStep());
  }

  @Test
  void severalFilesAreOneRecordingOfEvents() throws IOException {
    List<Path> files = List.of(file("a.etl", etl), gzip("b.etl.gz", etl));
    try (RecordingInput input = RecordingInput.of(files, Ability.EVENTS);
        Recording recording = input.open()) {
      assertEquals(files.stream().map(Path::toString).toList(), recording.fileNames());
    }
  }

  @Test
  void callsAreReadAlone() throws IOException {
    Path a = file("a.etl", etl);
    Path b = gzip("b.ntr.gz", calls);
    CannotGoOn refusal = refusal(Ability.WEIGHTED_STACKS, a, b);
    assertEquals(Reason.TOO_MANY_FILES, refusal.reason());
    assertEquals(b.toString(), refusal.file());
  }

  @Test
  void aQuestionThatCallsCannotAnswerNamesTheCommandForThem() throws IOException {
    Path file = file("a.etl", calls);
    CannotGoOn refusal = refusal(Ability.EVENTS, file);
    assertEquals(Reason.OTHER_KIND, refusal.reason());
    assertEquals(file + " is a call recording: it has no events", refusal.message());
    assertEquals("ntrail calls " + file, refusal.nextStep());
  }

  @Test
  void aQuestionAboutCallsNamesTheCommandForEvents() throws IOException {
    Path file = file("a.ntr", etl);
    CannotGoOn refusal = refusal(Ability.CALLS, file);
    assertEquals(Reason.OTHER_KIND, refusal.reason());
    assertEquals(file + " is not a call recording", refusal.message());
    assertEquals("ntrail profile " + file + " --tree", refusal.nextStep());
  }

  /** Message about a file that is no recording: the other kind and the command for it. */
  @Test
  void aQuestionThatDumpsCannotAnswerNamesTheCommandForThem() throws IOException {
    for (Path file : List.of(file("a.etl", dump), gzip("b.etl.gz", dump))) {
      for (Ability wanted :
          List.of(Ability.EVENTS, Ability.WEIGHTED_STACKS, Ability.CALLS, Ability.NAMED_STACKS)) {
        CannotGoOn refusal = refusal(wanted, file);
        assertEquals(Reason.OTHER_KIND, refusal.reason());
        assertEquals(
            file
                + " is a minidump: it has threads, modules and memory of one instant, and no "
                + wanted.noun(),
            refusal.message());
        assertEquals("ntrail stacks " + file, refusal.nextStep());
      }
    }
    Path kernel = file("c.dmp", "PAGEDU64".getBytes(StandardCharsets.ISO_8859_1));
    for (Ability wanted : List.of(Ability.EVENTS, Ability.MEMORY)) {
      assertTrue(
          refusal(wanted, kernel)
              .message()
              .startsWith(kernel + " is a truncated kernel dump of 64-bit Windows"));
    }
  }

  @Test
  void whatIsNoDumpIsNamedWithItsCommand() throws IOException {
    Path events = file("a.dmp", etl);
    assertEquals(events + " is not a dump", refusal(Ability.MEMORY, events).message());
    assertEquals("ntrail info " + events, refusal(Ability.MEMORY, events).nextStep());
    Path picture = file("b.dmp", new byte[] {-1, -40, -1, -32, 0, 16});
    assertEquals(
        "readable: minidumps (.dmp, .mdmp), also in .zip .gz .cab",
        refusal(Ability.MEMORY, picture).nextStep());
    Path two = zip("two.zip", new Member("a.dmp", dump), new Member("b.dmp", dump));
    assertEquals(Reason.ARCHIVE_MEMBERS, refusal(Ability.MEMORY, two).reason());
    Path empty = file("c.dmp", new byte[0]);
    assertEquals(Reason.EMPTY, refusal(Ability.MEMORY, empty).reason());
  }

  @Test
  void aDumpIsReadAlone() throws IOException {
    Path a = file("a.etl", etl);
    Path b = file("b.dmp", dump);
    CannotGoOn refusal =
        assertThrows(
            CannotGoOn.class,
            () -> RecordingInput.of(List.of(a, b), Ability.EVENTS, Ability.MEMORY).close());
    assertEquals(Reason.TOO_MANY_FILES, refusal.reason());
    assertEquals(b.toString(), refusal.file());
  }

  @Test
  void otherFilesAreNamedWithTheirCommand() throws IOException {
    Path image = file("a.etl", "MZ\u0090\0".getBytes(StandardCharsets.ISO_8859_1));
    assertRefusal(image, "4d 5a 90 00, a Windows program or library", "ntrail image " + image);
    Path pdb =
        file(
            "b.etl",
            "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
    assertRefusal(pdb, "4d 69 63 72, a program database (PDB)", "ntrail symbols " + pdb);
    Path picture = file("c.etl", new byte[] {-1, -40, -1, -32, 0, 16});
    assertRefusal(picture, "ff d8 ff e0, a JPEG picture", "readable: .etl .ntr .jtrc .dmp");
    Path archive = file("d.etl", new byte[] {'7', 'z', (byte) 0xBC, (byte) 0xAF, 0x27});
    assertRefusal(
        archive, "37 7a bc af, a 7z archive: unpack it first", "readable: .etl .ntr .jtrc .dmp");
    Path unknown = file("e.etl", new byte[] {1, 2, 3, 4, 5});
    assertRefusal(unknown, "01 02 03 04", "readable: .etl .ntr .jtrc .dmp");
  }

  private static void assertRefusal(Path file, String start, String nextStep) {
    for (Ability wanted : List.of(Ability.EVENTS, Ability.WEIGHTED_STACKS, Ability.NAMED_STACKS)) {
      CannotGoOn refusal = refusal(wanted, file);
      assertEquals(Reason.OTHER_KIND, refusal.reason());
      assertEquals(file.toString(), refusal.file());
      assertEquals(
          file
              + " is not a recording, or is truncated inside its header (it starts with "
              + start
              + ")",
          refusal.message());
      assertTrue(refusal.nextStep().startsWith(nextStep), refusal.nextStep());
    }
  }

  @Test
  void textIsACollapsedStackOnlyWhereStacksAreRequested() throws IOException {
    Path file = file("a.txt", STACKS);
    assertEquals(Reason.OTHER_KIND, refusal(Ability.WEIGHTED_STACKS, file).reason());
    assertEquals(Reason.OTHER_KIND, refusal(Ability.EVENTS, file).reason());
  }

  @Test
  void missingFilesAreRefusedWithATypedReason() throws IOException {
    for (Ability wanted : List.of(Ability.EVENTS, Ability.CALLS, Ability.NAMED_STACKS)) {
      CannotGoOn missing = refusal(wanted, folder.resolve("none.etl"));
      assertEquals(Reason.NO_SUCH_FILE, missing.reason());
      assertEquals(folder.resolve("none.etl").toString(), missing.file());
      assertEquals(Reason.FOLDER, refusal(wanted, folder).reason());
    }
    Path empty = zip("a.zip", new Member("picture.png", STACKS));
    assertEquals(Reason.ARCHIVE_MEMBERS, refusal(Ability.WEIGHTED_STACKS, empty).reason());
    Path two = zip("b.zip", new Member("a.ntr", calls), new Member("b.jtrc", jtrc));
    assertEquals(Reason.ARCHIVE_MEMBERS, refusal(Ability.CALLS, two).reason());
    assertEquals(Reason.ARCHIVE_MEMBERS, refusal(Ability.WEIGHTED_STACKS, two).reason());
  }

  @Test
  void problemsAreReportedOnlyWhenItIsOpened() {
    Path missing = folder.resolve("none.etl");
    try (RecordingInput input = RecordingInput.of(List.of(missing), Ability.NAMED_STACKS)) {
      assertTrue(input.has(Ability.EVENTS));
      assertFalse(input.has(Ability.CALLS));
    }
  }

  @Test
  void aFileThatWasOnlyLookedAtIsClosed() throws IOException {
    Path file = gzip("a.etl.gz", etl);
    RecordingInput input = RecordingInput.of(List.of(file), Ability.WEIGHTED_STACKS);
    input.close();
    // Nothing is kept: it is opened anew.
    try (Recording recording = input.open()) {
      assertEquals(etl.length, recording.size());
    }
  }

  @Test
  void recordingsOfEventsAreKnownWithoutOpeningThem() throws IOException {
    List<Path> are =
        List.of(
            file("a.bin", etl),
            file("damaged.etl", new byte[1000]),
            folder.resolve("missing.etl"),
            gzip("b.etl.gz", etl),
            zip("c.diagsession", new Member("a.etl", etl)));
    assertEquals(are, are.stream().filter(RecordingInput::isEtw).toList());
    Path pdb = TestData.projectRoot().resolve("samples/shopd.pdb");
    List<Path> others =
        List.of(
            file("pdb.etl", Files.readAllBytes(pdb)),
            pdb,
            folder.resolve("missing.pdb"),
            file("x.txt", STACKS));
    assertEquals(
        List.of(),
        Stream.concat(others.stream(), Stream.of(folder)).filter(RecordingInput::isEtw).toList());
  }
}
