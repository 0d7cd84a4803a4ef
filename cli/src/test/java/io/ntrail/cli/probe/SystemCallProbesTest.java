package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.breakpad.BreakpadSymbols.Function;
import io.ntrail.testkit.breakpad.SymbolsAsPdb;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.pdb.SmallPdb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Probes of system calls over a recording that was written by hand: the answers are those of its
 * text.
 */
class SystemCallProbesTest {
  private static final int AMD64 = 0x8664;
  private static final long KERNEL = 0xFFFF_F800_0000_0000L;
  private static final UUID PDB = UUID.fromString("8f3c0e1a-5b7d-4c21-9e60-2a4f6b8c1d35");
  private static final int READ = 0x1000;
  private static final int WRITE = 0x2000;
  private static final int GET_MESSAGE = 0x1100;
  private static final int CALLBACK_RETURN = 0x1200;
  private static final int CONTINUE = 0x1300;
  private static final int UNNAMED = 0x7000;
  private static final int SUCCESS = 0;
  private static final int DENIED = 0xC000_0022;

  @TempDir private Path folder;
  private Path recording = Path.of("");
  private long start;

  private EtlRecord kernel(long time, int hook, int version, LittleEndian payload) {
    return EtlRecords.system(8, hook)
        .version(version)
        .time(start + time)
        .thread(4, 8)
        .payload(payload)
        .build();
  }

  private EtlRecord perfInfo(long time, int hook, int version, LittleEndian payload) {
    return EtlRecords.perfInfo(8, hook)
        .version(version)
        .time(start + time)
        .payload(payload)
        .build();
  }

  private EtlRecord enter(long time, int rva) {
    return perfInfo(time, 0x0F33, 2, new LittleEndian().u64(KERNEL + rva));
  }

  private EtlRecord leave(long time, int status) {
    return perfInfo(time, 0x0F34, 2, new LittleEndian().u32(status));
  }

  private EtlRecord toThread(long time, int to, int from) {
    return perfInfo(time, 0x0524, 4, KernelPayloads.cswitch(to, from, 8, 8, 0, 5));
  }

  private void logKernelImage(EtlWriter writer) {
    writer.log(
        0,
        kernel(
            1,
            0x1403,
            2,
            KernelPayloads.image(
                KERNEL, 0x10_0000, 0, 0, 0x5EED, "\\SystemRoot\\system32\\ntoskrnl.exe")));
    writer.log(
        0,
        EtlRecords.full(8, ClassGuids.IMAGE_ID)
            .opcode(36)
            .version(2)
            .time(start + 1)
            .payload(KernelPayloads.rsds(KERNEL, 0, PDB, 1, "ntkrnlmp.pdb"))
            .build());
  }

  /** Threads 7 and 9 of a.exe and b.exe on two processors; thread 7 moves in the middle. */
  @BeforeEach
  void write() throws IOException {
    write(EtlSettings.windows11().processors(2));
  }

  private void write(EtlSettings settings) throws IOException {
    start = settings.startTicks();
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 2; i++) {
      String name = i == 0 ? "a.exe" : "b.exe";
      writer.log(0, kernel(1, 0x0303, 4, KernelPayloads.process(40 + i, 4, 1, 0, name, name)));
      writer.log(0, kernel(1, 0x0503, 3, KernelPayloads.thread(40 + i, 7 + 2 * i, 0x1000, 8, "")));
    }
    logKernelImage(writer);
    // An exit whose entry was before the recording.
    writer.log(0, toThread(10, 7, 0));
    writer.log(0, leave(20, SUCCESS));
    writer.log(0, enter(30, READ));
    // The thread waits, and goes on on the other processor.
    writer.log(0, toThread(40, 9, 7));
    writer.log(0, enter(50, WRITE));
    // A call inside of a call.
    writer.log(0, enter(60, UNNAMED));
    writer.log(0, leave(70, SUCCESS));
    writer.log(0, leave(80, DENIED));
    writer.log(1, toThread(75, 7, 0));
    writer.log(1, leave(90, SUCCESS));
    writer.log(1, enter(100, READ));
    writer.log(1, leave(110, DENIED));
    recording = folder.resolve("calls.etl");
    writer.flush().writeTo(recording);
    TreeMap<Long, Function> functions = new TreeMap<>();
    functions.put((long) READ, new Function(READ, 64, 0, "NtReadFile", new TreeMap<>()));
    functions.put((long) WRITE, new Function(WRITE, 64, 0, "NtWriteFile", new TreeMap<>()));
    String id = PDB.toString().replace("-", "") + "1";
    Files.write(
        folder.resolve("ntkrnlmp.pdb"),
        SymbolsAsPdb.of(
            new BreakpadSymbols(id, "ntkrnlmp.pdb", functions, new TreeMap<>(), List.of()), AMD64));
  }

  private String answer(String program) {
    Result result = Cli.run("probe", "#pragma D option quiet\n" + program, recording, "-y", folder);
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  @Test
  void entriesAreCountedByTheNamesOfServicesAndByProgram() {
    assertEquals(
        """

          b.exe                                               0x7000                                                            1
          b.exe                                               NtWriteFile                                                       1
          a.exe                                               NtReadFile                                                        2
        """,
        answer("syscall:::entry { @[execname, probefunc] = count(); }"));
  }

  @Test
  void returnsAreThoseOfTheLastEntryOfTheirThread() {
    assertEquals(
        """
        7 unknown 0 0
        9 unknown 0 0
        9 unknown c0000022 c0000022
        7 NtReadFile 0 0
        7 NtReadFile c0000022 c0000022

        """,
        answer(
            "syscall:::return { printf(\"%d %s %x %x\\n\", tid, probefunc, (int)arg0, (int)arg1); }"));
  }

  @Test
  void whereEventsWereLostAReturnIsThatOfAnEntryRightBeforeIt() throws IOException {
    write(EtlSettings.windows11().processors(2).lost(1, 0));
    assertEquals(
        "unknown 0 unknown 0 unknown -1073741790 unknown 0 NtReadFile -1073741790", returns());
  }

  /** Writes a recording of one thread that calls services with public symbols only. */
  private void rewrite(int... rvasAndReturns) throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    writer.log(
        0,
        kernel(1, 0x0303, 4, KernelPayloads.process(40, 4, 1, 0, "a.exe", "a.exe \u00fc\u65e5")));
    writer.log(0, kernel(1, 0x0503, 3, KernelPayloads.thread(40, 7, 0x1000, 8, "")));
    logKernelImage(writer);
    writer.log(0, toThread(10, 7, 0));
    for (int i = 0; i < rvasAndReturns.length; i++) {
      int one = rvasAndReturns[i];
      writer.log(0, one > 0 ? enter(20 + i, one) : leave(20 + i, -one));
    }
    Files.delete(recording);
    writer.flush().writeTo(recording);
    SmallPdb pdb = new SmallPdb().id(PDB, 1).section(".text", 0x1000, 0x1000);
    pdb.publicFunction("NtReadFile", 1, 0);
    pdb.publicFunction("NtUserGetMessage", 1, 0x100);
    pdb.publicFunction("NtCallbackReturn", 1, 0x200);
    pdb.publicFunction("NtContinue", 1, 0x300);
    Files.write(folder.resolve("ntkrnlmp.pdb"), pdb.write());
  }

  private String returns() {
    return answer("syscall:::return { printf(\"%s %d \", probefunc, (int)arg0); }").strip();
  }

  @Test
  void publicSymbolsNameServices() throws IOException {
    rewrite(READ, 0, GET_MESSAGE, -1);
    assertEquals("NtReadFile 0 NtUserGetMessage 1", returns());
  }

  @Test
  void onlyTheFirstByteOfAFunctionIsAService() throws IOException {
    rewrite(READ + 0x10, 0);
    assertEquals("0x1010 0", returns());
  }

  @Test
  void aCallInsideOfACallReturnsFirst() throws IOException {
    rewrite(GET_MESSAGE, READ, -1, -2);
    assertEquals("NtReadFile 1 NtUserGetMessage 2", returns());
  }

  @Test
  void theReturnOfACallbackIsThatOfTheServiceThatCalledBack() throws IOException {
    rewrite(GET_MESSAGE, CALLBACK_RETURN, -5, READ, -6);
    assertEquals("NtUserGetMessage 5 NtReadFile 6", returns());
  }

  @Test
  void aServiceThatGoesOnElsewhereHasNoReturn() throws IOException {
    rewrite(CONTINUE, READ, -6, GET_MESSAGE, -7);
    assertEquals("NtReadFile 6 NtUserGetMessage 7", returns());
  }

  @Test
  void aServiceWithoutNameInsideOfAnotherMayBeTheReturnOfACallback() throws IOException {
    rewrite(GET_MESSAGE, UNNAMED, -5, READ, -6);
    assertEquals("unknown 5 NtReadFile 6", returns());
  }

  @Test
  void aCommandLineIsPrintedAsUtf8() throws IOException {
    rewrite(READ, 0);
    assertEquals(
        "a.exe \u00fc\u65e5\n\n",
        answer("kernel::Process:DCStart { printf(\"%s\\n\", args[0]->CommandLine); }"));
  }

  @Test
  void failuresAreCountedByService() {
    assertEquals(
        "NtReadFile 1\n\n",
        answer(
            "syscall::Nt*:return /(int)arg0 < 0/ { @[probefunc] = count(); }"
                + " END { printa(\"%s %@d\\n\", @); }"));
  }

  @Test
  void durationIsTheTimeSinceTheEntry() {
    // Ticks are 100 ns: 60 of them with the wait, and 10.
    assertEquals(
        "6000 1000 \n\n",
        answer(
            "syscall::NtReadFile:return { printf(\"%d \", duration); } END { printf(\"\\n\"); }"));
  }

  @Test
  void whatAServiceIsCalledWithIsNotRecorded() {
    Result result =
        Cli.run("probe", "syscall::NtReadFile:entry { trace(arg0); }", recording, "-y", folder);
    assertTrue(result.err().contains("illegal operation"), result.err());
  }

  @Test
  void aListHasEachServiceOnceAndExitsWithoutEntry() {
    Result list = Cli.run("probe", "-l", recording, "-y", folder);
    List<String> calls =
        list.out().lines().filter(line -> line.contains("syscall")).map(String::strip).toList();
    assertEquals(8, calls.size(), list.out());
    assertTrue(calls.stream().anyMatch(line -> line.endsWith("NtReadFile entry")), list.out());
    assertTrue(calls.stream().anyMatch(line -> line.endsWith("unknown return")), list.out());
    assertTrue(
        calls.stream().anyMatch(line -> line.matches(".*ntoskrnl +0x7000 entry")), list.out());
  }

  @Test
  void withoutSymbolsServicesAreTheirPlaces() {
    Result result =
        Cli.run("probe", "syscall:::entry { @[probemod, probefunc] = count(); }", recording);
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.out().contains("ntoskrnl") && result.out().contains("0x1000"), result.out());
  }
}
