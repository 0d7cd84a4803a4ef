package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans that were made before their libraries are loaded. */
final class PlansAheadTest {
  private static final long BASE = 0x7F00_1000_0000L;

  /** Functions of one library. */
  private record Of(String name) implements TracePlan.Selection {
    @Override
    public boolean mayWant(TargetModule module) {
      return name.isEmpty() || module.name().equals(name);
    }

    @Override
    public boolean wants(TargetModule module, String function) {
      return true;
    }

    @Override
    public boolean excludes(TargetModule module, String function) {
      return false;
    }
  }

  private static final Of A = new Of("a.dll");

  @TempDir private Path folder;
  private Path file;
  private PeImage image;

  private static Sketch sketch() {
    return new Sketch()
        .function("one", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0xC3)
        .function("two", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 2, 0xC3);
  }

  @BeforeEach
  void write() throws IOException {
    Path below = Files.createDirectories(folder.resolve("node_modules/plug"));
    file = Files.write(below.resolve("a.dll"), sketch().file());
    image = sketch().stored();
  }

  private PlansAhead begun(Of choice) {
    return PlansAhead.of(choice, List.of(folder));
  }

  private Optional<TracePlan> plan(PlansAhead plans, Of choice, long different) {
    FreshModulePlan.Memory memory =
        ranges ->
            ranges.stream()
                .map(range -> {
                  int length = range.length();
                  byte[] bytes =
                      image.view().bytes(range.address() - BASE, length).array(0, length);
                  long at = different - (range.address() - BASE);
                  if (different >= 0 && at >= 0 && at < length) {
                    bytes[(int) at] ^= 1;
                  }
                  return bytes;
                })
                .toList();
    return plans.plan(memory, loaded("a.dll"), file, image.headers(), choice);
  }

  private TargetModule loaded(String name) {
    return new TargetModule(BASE, image.headers().sizeOfImage(), "C:\\x\\" + name, name);
  }

  @Test
  void planIsTheOneThatIsMadeWhenTheLibraryIsLoaded() {
    List<PlannedFunction> expected =
        Planner.plan(loaded("a.dll"), image, PlanSymbols.NONE, Optional.empty(), A);
    TracePlan plan = plan(begun(A), A, -1).orElseThrow();
    assertEquals(2, plan.functions().size());
    for (int i = 0; i < expected.size(); i++) {
      PlannedFunction should = expected.get(i);
      PlannedFunction is = plan.functions().get(i);
      assertEquals(should.name(), is.name());
      assertEquals(should.patch(), is.patch());
      assertEquals(should.module().module(), is.module().module());
      assertEquals(BASE + should.rva(), is.code().orElseThrow().address());
      assertEquals(
          Arrays.toString(should.code().orElseThrow().unit()),
          Arrays.toString(is.code().orElseThrow().unit()));
    }
    assertEquals(List.of(loaded("a.dll")), plan.modules());
  }

  @Test
  void planIsUsedAgainWhenTheLibraryIsLoadedOnceMore() {
    PlansAhead plans = begun(A);
    assertTrue(plan(plans, A, -1).isPresent());
    assertTrue(plan(plans, A, -1).isPresent());
  }

  @Test
  void whereMemoryDiffersThereIsNone() {
    PlansAhead plans = begun(A);
    long rva = plan(plans, A, -1).orElseThrow().functions().getFirst().rva();
    assertEquals(Optional.empty(), plan(plans, A, rva + 1));
    assertEquals(Optional.empty(), plan(plans, A, rva - 3));
  }

  @Test
  void ofAFileThatWasWrittenToSinceThereIsNone() throws IOException {
    PlansAhead plans = begun(A);
    FileTime before = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1));
    assertEquals(Optional.empty(), plan(plans, A, -1));
  }

  @Test
  void ofAFileThatWasReplacedSinceThereIsNone() throws IOException {
    PlansAhead plans = begun(A);
    FileTime before = Files.getLastModifiedTime(file);
    Path other = Files.copy(file, folder.resolve("other"));
    Files.setLastModifiedTime(other, before);
    Files.delete(file);
    Files.move(other, file);
    assertEquals(Optional.empty(), plan(plans, A, -1));
  }

  @Test
  void ofAnotherBuildInMemoryThereIsNone() throws IOException {
    PlansAhead plans = begun(A);
    byte[] bytes = sketch().file();
    int header = bytes[0x3C] & 0xFF | (bytes[0x3D] & 0xFF) << 8;
    bytes[header + 8] ^= 1;
    PeImage other = PeImage.ofFile(InputFile.of(bytes, "other"));
    assertEquals(
        Optional.empty(),
        plans.plan(
            ranges ->
                ranges.stream()
                    .map(range ->
                        image
                            .view()
                            .bytes(range.address() - BASE, range.length())
                            .array(0, range.length()))
                    .toList(),
            loaded("a.dll"),
            file,
            other.headers(),
            A));
  }

  @Test
  void ofAnotherSelectionThereIsNone() {
    assertEquals(Optional.empty(), plan(begun(A), new Of(""), -1));
    assertEquals(Optional.empty(), plan(begun(new Of("b.dll")), A, -1));
  }

  @Test
  void selectionsOfAnyModulePlanWhatIsCalledALibrary() throws IOException {
    Of any = new Of("");
    assertTrue(plan(begun(any), any, -1).isPresent());
    Path named = Files.copy(file, folder.resolve("node_modules/a.bin"));
    assertEquals(
        List.of(file.toRealPath()),
        new LibrarySearch(any, List.of()).in(List.of(folder), List.of(named.getParent())));
  }

  @Test
  void librariesAreFoundBelowTheRootsAndNothingElseIs() throws IOException {
    Files.writeString(folder.resolve("a.dll"), "no library");
    Path hidden = Files.createDirectories(folder.resolve(".git"));
    Files.copy(file, hidden.resolve("a.dll"));
    Path flat = Files.createDirectories(folder.resolve("system"));
    Files.createDirectories(flat.resolve("deep"));
    Files.copy(file, flat.resolve("deep/a.dll"));
    Files.createSymbolicLink(folder.resolve("node_modules/link"), folder);
    assertEquals(List.of(file.toRealPath()), found(List.of(folder.resolve("node_modules")), flat));
    assertEquals(List.of(), found(List.of(), flat));
    assertEquals(
        List.of(file.toRealPath(), flat.resolve("deep/a.dll").toRealPath()),
        found(List.of(folder), flat).stream().sorted().toList());
  }

  @Test
  void librariesThatAreLoadedAreNotSearched() {
    assertEquals(
        List.of(), new LibrarySearch(A, List.of(loaded("A.dll"))).in(List.of(folder), List.of()));
  }

  private static List<Path> found(List<Path> roots, Path flat) {
    return new ArrayList<>(new LibrarySearch(A, List.of()).in(roots, List.of(flat)));
  }
}
