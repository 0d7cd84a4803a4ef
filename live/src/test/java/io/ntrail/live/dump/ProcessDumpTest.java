package io.ntrail.live.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpView;
import io.ntrail.analysis.dumps.DumpedThread;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.capture.StandingProgram;
import io.ntrail.live.capture.StandingProgram.Standing;
import io.ntrail.live.dump.ProcessDump.Written;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.testkit.Lldb;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dumps of running programs, read by LLDB, which unwinds them by itself. */
final class ProcessDumpTest {
  private static final long NOW = 1_700_000_000L;

  /** Kinds of threads that the system called through a machine frame: an APC, an exception. */
  private static final Set<String> MACHINE_FRAMES = Set.of("apc", "fault");

  @TempDir Path folder;

  @Test
  void lldbFindsTheFramesOf49ThreadsThatTheProgramPrinted() throws Exception {
    mustFindFrames("standing.c", false, "80 sum 1872");
  }

  @Test
  void lldbFindsTheFramesInCodeOfClang() throws Exception {
    try (StandingProgram program =
        StandingProgram.start(folder, "standing.c", WindowsCompiler.CLANG_GNU, "-O2")) {
      mustFindFrames(program, false, "80 sum 1872");
    }
  }

  @Test
  void lldbFindsTheFramesOf32BitPrograms() throws Exception {
    try (StandingProgram program = start32(WindowsCompiler.MINGW_C_32)) {
      mustFindFrames(program, false, "80 sum 1872");
    }
  }

  @Test
  void lldbFindsTheFramesOf32BitProgramsOfClangInAFullDump() throws Exception {
    try (StandingProgram program = start32(WindowsCompiler.CLANG_GNU_32)) {
      mustFindFrames(program, true, "80 sum 1872");
    }
  }

  private StandingProgram start32(WindowsCompiler compiler) throws Exception {
    return StandingProgram.start(folder, "standing.c", compiler, "-O2", "-fno-omit-frame-pointer");
  }

  @Test
  void lldbFindsTheFramesInFiltersAndTerminationHandlers() throws Exception {
    mustFindFrames("sehstanding.c", false, "63 sum 63");
  }

  @Test
  void lldbFindsTheFramesInAFullDump() throws Exception {
    mustFindFrames("leaving.cpp", true, "26 sum 26");
  }

  @Test
  void ownReaderFindsTheFramesInAFullDump() throws Exception {
    Path dump = folder.resolve("it.dmp");
    try (StandingProgram program = StandingProgram.start(folder, "sehstanding.c");
        TargetProcess process = program.open()) {
      write(process, dump, true);
      List<Standing> all = program.standing();
      assertEquals("63 sum 63", program.end());
      try (DumpRecording recording =
          DumpRecording.open(InputFile.map(dump, "it.dmp"), new Gaps())) {
        DumpView view = recording.view();
        StackWalker walker = new StackWalker(new VirtualUnwinder(view.memory(), view.modules()));
        for (Standing standing : all) {
          DumpedThread thread =
              recording.threads().stream()
                  .filter(one -> one.tid() == standing.tid())
                  .findFirst()
                  .orElseThrow();
          StackWalk walk = walker.walk(view.registers(thread).orElseThrow(), view.memory());
          List<Long> frames = walk.frames().stream().map(StackFrame::ip).toList();
          List<Long> callers = standing.callers().subList(1, standing.callers().size());
          int first = frames.indexOf(callers.getFirst());
          assertTrue(first > 0, standing.toString());
          assertEquals(callers, frames.subList(first, frames.size()), standing.toString());
        }
        assertEquals(List.of(), recording.gaps());
        assertEquals(OptionalLong.of(NOW), recording.time());
        assertEquals(process.pid(), recording.process().pid().orElseThrow());
        assertTrue(recording.process().name().startsWith("sehstanding"));
      }
    }
  }

  @Test
  void lldbFindsTheSameFramesInALargeDumpOfAProgramOfOthers() throws Exception {
    assumeTrue(Lldb.TOOL.available(), Lldb.TOOL.missing());
    Path dump = folder.resolve("it.dmp");
    try (WaitingNode node = WaitingNode.start(folder);
        TargetProcess process = node.open()) {
      Written written = write(process, dump, true);
      assertEquals(List.of(), written.missingThreads());
      assertTrue(written.bytes() > 100 << 20, written.toString());
      Map<Integer, List<Long>> theirs = Lldb.frames(dump, images(process));
      Map<Integer, List<Long>> ours = new HashMap<>();
      try (DumpRecording recording =
          DumpRecording.open(InputFile.map(dump, "it.dmp"), new Gaps())) {
        DumpView view = recording.view();
        StackWalker walker = new StackWalker(new VirtualUnwinder(view.memory(), view.modules()));
        for (DumpedThread thread : recording.threads()) {
          StackWalk walk = walker.walk(view.registers(thread).orElseThrow(), view.memory());
          ours.put((int) thread.tid(), walk.frames().stream().map(StackFrame::ip).toList());
        }
      }
      assertEquals(theirs, ours);
      assertTrue(ours.size() > 4, ours.toString());
      assertTrue(ours.values().stream().mapToInt(List::size).sum() > 40, ours.toString());
    }
  }

  private void mustFindFrames(String source, boolean isFull, String undisturbed) throws Exception {
    try (StandingProgram program = StandingProgram.start(folder, source)) {
      mustFindFrames(program, isFull, undisturbed);
    }
  }

  private void mustFindFrames(StandingProgram program, boolean isFull, String undisturbed)
      throws Exception {
    assumeTrue(Lldb.TOOL.available(), Lldb.TOOL.missing());
    Path dump = folder.resolve("it.dmp");
    try (TargetProcess process = program.open()) {
      Written written = write(program.itsHost(), process, dump, isFull);
      assertEquals(Files.size(dump), written.bytes());
      assertEquals(program.standing().size() + 1, written.threads());
      assertEquals(List.of(), written.missingThreads());
      assertEquals(List.of(), written.gaps());
      Map<Integer, List<Long>> frames = Lldb.frames(dump, images(process));
      for (Standing standing : program.standing()) {
        mustContain(
            Objects.requireNonNull(frames.get(standing.tid())),
            callers(standing, process),
            standing);
      }
      // It ran on as if nothing had been.
      assertEquals(undisturbed, program.end());
    }
  }

  /**
   * Returns what the system found, without the function that stands; of 32-bit programs up to what
   * is no address of a module, where the system itself went astray.
   */
  private static List<Long> callers(Standing standing, TargetProcess process) {
    List<Long> callers = standing.callers().subList(1, standing.callers().size());
    return process.isEmulated()
        ? callers.stream()
            .takeWhile(
                address -> process.modules().stream().anyMatch(module -> module.contains(address)))
            .toList()
        : callers;
  }

  /** The function that stands has called something else since it printed where it was. */
  private static void mustContain(List<Long> frames, List<Long> callers, Standing standing) {
    int first = frames.indexOf(callers.getFirst());
    String text = standing + "\n" + frames.stream().map(Long::toHexString).toList();
    assertTrue(first > 0, text);
    List<Long> found = frames.subList(first, Math.min(frames.size(), first + callers.size()));
    // LLDB does not know machine frames, and ends where the system called the program with one.
    boolean hasMachineFrame = MACHINE_FRAMES.contains(standing.kind());
    assertEquals(hasMachineFrame ? callers.subList(0, found.size()) : callers, found, text);
    assertTrue(found.size() > 1 || callers.size() == 1, text);
  }

  private static Written write(TargetProcess process, Path file, boolean isFull)
      throws IOException {
    return write(StandingProgram.host(), process, file, isFull);
  }

  private static Written write(AgentHost host, TargetProcess process, Path file, boolean isFull)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      return ProcessDump.write(host, process, channel, isFull, NOW);
    }
  }

  /** Returns a folder with the images of a process, without debug information. */
  private Path images(TargetProcess process) throws Exception {
    Path images = Files.createDirectories(folder.resolve("images"));
    for (TargetModule module : process.modules()) {
      Path file = process.file(module).orElseThrow();
      Path copy = images.resolve(module.name());
      if (process.isEmulated()) {
        WindowsCompiler.strip32(file, copy);
      } else {
        WindowsCompiler.strip(file, copy);
      }
    }
    return images;
  }
}
