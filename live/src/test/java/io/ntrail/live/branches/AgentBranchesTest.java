package io.ntrail.live.branches;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.windows.TargetPaths;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.patchability.BranchFinder;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.pe.WineImages;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Search for branches by a real agent. */
final class AgentBranchesTest {
  private static final int READ_WRITE = 4;
  private static final int EXECUTE_READ_WRITE = 0x40;
  private static final int COMMIT = 0x3000;

  @TempDir Path folder;

  private static Agent agent() {
    assumeTrue(Wine.available(), Wine.missing());
    Wine wine = Wine.shared();
    return Agent.on(
        new AgentHost.Wine(wine.loader(), wine.environment()).start(), Duration.ofSeconds(30));
  }

  private static long[] sorted(LongStream places) {
    return places.sorted().distinct().toArray();
  }

  private static long[] random(ImageFunctions functions) {
    int count = functions.list().size();
    return sorted(
        new Random(count).ints(Math.min(200, count), 0, count).mapToLong(functions::start));
  }

  private static long[] adjacent(ImageFunctions functions) {
    int count = functions.list().size();
    int first = new Random(count).nextInt(count);
    return sorted(IntStream.range(first, Math.min(count, first + 20)).mapToLong(functions::start));
  }

  @Test
  void ofEachLibraryOfWineItFindsWhatIsFoundHere() throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    AtomicInteger found = new AtomicInteger();
    try (Agent agent = agent()) {
      WindowsApi calls = new WindowsApi(agent);
      AgentBranches branches = new AgentBranches(calls, 0, 0);
      for (Path file : Slice.of(WineImages.all(), 40)) {
        try (InputFile input = InputFile.map(file, file.getFileName().toString())) {
          PeImage image = PeImage.ofFile(input);
          ImageFunctions functions = ImageFunctions.of(image);
          if (functions.list().isEmpty()) {
            continue;
          }
          // All over the library, and close together.
          for (long[] starts : List.of(random(functions), adjacent(functions))) {
            ImageSearch finder = branches.in(TargetPaths.there(calls, file), image);
            long[] here = BranchFinder.HERE.find(image, functions.code().list(), starts);
            Optional<FunctionTable> table = FunctionTable.unchecked(image);
            CompletableFuture<Optional<int[]>> entries =
                table.map(finder::continuing).orElseGet(CompletableFuture::new);
            long[] there = finder.find(image, functions.code().list(), starts);
            assertEquals(
                FunctionTable.unchecked(image)
                    .map(t -> Arrays.toString(t.continuing().orElse(null))),
                table.map(t -> Arrays.toString(entries.join().orElse(null))),
                file::toString);
            assertArrayEquals(
                sorted(Arrays.stream(here)),
                sorted(Arrays.stream(BranchFinder.narrowed(image, there, starts))),
                file::toString);
            found.addAndGet(here.length);
          }
        } catch (CannotGoOn e) {
          // Not an image after all.
        }
      }
      branches.release();
    }
    assertTrue(found.get() > 100, "found " + found);
  }

  @Test
  void fileThatIsAnotherOneThanTheImageIsNotSearched() throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    Path file = WineImages.all().getFirst();
    try (Agent agent = agent();
        InputFile input = InputFile.map(file, "library")) {
      WindowsApi calls = new WindowsApi(agent);
      AgentBranches branches = new AgentBranches(calls, 0, 0);
      PeImage image = PeImage.ofFile(input);
      ImageFunctions functions = ImageFunctions.of(image);
      byte[] other = Files.readAllBytes(file);
      other[8] ^= 1;
      Path copy = Files.write(folder.resolve("other.dll"), other);
      long[] starts = {functions.start(0)};
      for (Path path : List.of(copy, folder.resolve("missing.dll"))) {
        ImageSearch finder = branches.in(TargetPaths.there(calls, path), image);
        assertArrayEquals(
            sorted(Arrays.stream(BranchFinder.HERE.find(image, functions.code().list(), starts))),
            sorted(Arrays.stream(finder.find(image, functions.code().list(), starts))));
      }
      branches.release();
    }
  }

  @Test
  void memoryThatIsNotThereEndsTheSearchAndNotTheAgent() {
    try (Agent agent = agent()) {
      WindowsApi calls = new WindowsApi(agent);
      BranchRoutine.Code routine = BranchRoutine.code();
      long code = calls.must("", "kernel32!VirtualAlloc", 0, 0x1000, COMMIT, EXECUTE_READ_WRITE);
      long block = calls.must("", "kernel32!VirtualAlloc", 0, 0x1000, COMMIT, READ_WRITE);
      agent.poke(code, routine.bytes());
      calls.call("kernel32!AddVectoredExceptionHandler", 1, code + routine.handler());
      BytesBuilder head = new BytesBuilder(256).u64(0).u64(1).u64(0).u64(4).u64(0);
      head.u64(block + 0x800).u64(32).u64(block + 0x900).u64(1).u64(block + 0xA00);
      head.zeros(RoutineBlock.FIRST_PIECE - head.size());
      head.u64(0x10_0000_0000L).u64(0x1000).u64(0x1_0000);
      agent.poke(block, head.toArray());
      long thread = calls.must("", "kernel32!CreateThread", 0, 0, code, block, 0, 0);
      assertEquals(0, calls.call("kernel32!WaitForSingleObject", thread, 10_000).result());
      assertEquals(1, agent.peek(block, 128).i64(RoutineBlock.FAILED));
      assertEquals(agent.pid(), calls.call("kernel32!GetCurrentProcessId").asInt());
    }
  }
}
