package io.ntrail.live.plan;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plans for libraries that a program may load, made from their files while it starts.
 *
 * <p>A thread of the program waits for the plan of a library that it loads; of one that was planned
 * ahead only memory has to be compared. Such a plan is used if the file is still the one that was
 * read, if what was loaded is that build, and if memory is as the file wherever the plan depends on
 * it; else the library is planned when it is loaded.
 */
public final class PlansAhead {
  /** Has none. */
  public static final PlansAhead NONE = new PlansAhead(null);

  /** One part in so many of the heap, above which half of the room for new objects may be used. */
  private static final int USED = 5;

  private final TracePlan.@Nullable Selection choice;
  private final Map<Path, FutureTask<Optional<Ahead>>> tasks = new LinkedHashMap<>();

  /** A thread of the program waits for a plan: no time is left for practice. */
  private volatile boolean isWaitedFor;

  /** Identity of a file that nobody has written to. */
  private record Version(long size, FileTime changed, @Nullable Object key) {
    static Version of(Path file) throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Version(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
    }
  }

  /** A plan, with all addresses as if the library were loaded where it wants to be. */
  private record Ahead(
      Version version,
      TargetModule module,
      FreshModulePlan plan,
      List<PlannedFunction> functions,
      List<String> remarks) {}

  private PlansAhead(TracePlan.@Nullable Selection choice) {
    this.choice = choice;
  }

  /**
   * Begins to plan in a thread of its own, which ends by itself.
   *
   * @param present modules that are loaded
   * @param roots folders that are searched with all below them for libraries that the selection
   *     names
   * @param flat folders that are searched alone, for libraries that the selection names by module
   * @param practice a library to practise with if there are none
   * @param next practises with the plans of that
   */
  public static PlansAhead begin(
      TracePlan.Selection choice,
      List<TargetModule> present,
      List<Path> roots,
      List<Path> flat,
      Optional<Path> practice,
      Consumer<List<PlannedFunction>> next) {
    PlansAhead plans = new PlansAhead(choice);
    Thread.ofPlatform()
        .daemon()
        .name("plans ahead")
        .start(() -> {
          if (!plans.make(choice, present, roots, flat)) {
            practice.ifPresent(
                file -> PlanPractice.plan(file, choice, next, () -> !plans.isWaitedFor));
          }
          if (!plans.isWaitedFor && isMuchUsed()) {
            // Now, and not while a thread of the program waits.
            System.gc();
          }
        });
    return plans;
  }

  /**
   * Returns whether garbage would have to be collected soon: to do so for nothing stops a thread
   * that answers a loading library for as long.
   */
  private static boolean isMuchUsed() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() > runtime.totalMemory() / USED;
  }

  /** Returns the plans when all are made. */
  static PlansAhead of(TracePlan.Selection choice, List<Path> roots) {
    PlansAhead plans = new PlansAhead(choice);
    plans.make(choice, List.of(), roots, List.of());
    return plans;
  }

  private boolean make(
      TracePlan.Selection wanted, List<TargetModule> present, List<Path> roots, List<Path> flat) {
    LibrarySearch search = new LibrarySearch(wanted, present);
    List<Path> files = search.in(roots, flat);
    synchronized (tasks) {
      files.forEach(file -> tasks.put(file, new FutureTask<>(() -> plan(file, wanted))));
    }
    for (Path file : files) {
      task(file).ifPresent(FutureTask::run);
    }
    return !files.isEmpty();
  }

  private Optional<FutureTask<Optional<Ahead>>> task(Path file) {
    synchronized (tasks) {
      return Optional.ofNullable(tasks.get(file));
    }
  }

  private static Optional<Ahead> plan(Path file, TracePlan.Selection choice) throws IOException {
    Version version = Version.of(file);
    String name = file.getFileName().toString();
    try {
      PeImage image = PeImage.ofFile(InputFile.copy(file, name));
      PeHeaders headers = image.headers();
      TargetModule module =
          new TargetModule(headers.imageBase(), headers.sizeOfImage(), file.toString(), name);
      try (ModuleFile its = ModuleFile.open(Optional.of(file), module, image, choice.symbols())) {
        FreshModulePlan plan = FreshModulePlan.ahead(module, image, its.symbols(), choice);
        List<PlannedFunction> functions = plan.functions();
        return its.missing().isEmpty() && version.equals(Version.of(file))
            ? Optional.of(new Ahead(version, module, plan, functions, its.unusable()))
            : Optional.empty();
      }
    } catch (CannotGoOn | DamagedInput e) {
      // Not a library, or one that is refused when it is loaded.
      return Optional.empty();
    }
  }

  /** Returns the plan when it is made; if nobody has begun, that is as good here as there. */
  private static Optional<Ahead> ready(FutureTask<Optional<Ahead>> task) {
    task.run();
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          return Optional.empty();
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns the plan for a module of which no code has run yet. If it is being made, that is waited
   * for.
   *
   * @param file where this machine has it
   * @param headers as they are in memory
   * @return empty if it has to be planned now
   */
  Optional<TracePlan> plan(
      FreshModulePlan.Memory memory,
      TargetModule module,
      Path file,
      PeHeaders headers,
      TracePlan.Selection now) {
    isWaitedFor = true;
    try {
      Path path = file.toRealPath();
      // The comparison of records is made by the JVM at the first call, in some milliseconds.
      Optional<Ahead> ahead =
          Objects.equals(now, choice) ? task(path).flatMap(PlansAhead::ready) : Optional.empty();
      if (ahead.isEmpty()
          || !ahead.get().version.equals(Version.of(path))
          || !ahead.get().module.name().equals(module.name())
          || !ahead.get().plan.image().headers().isSameBuild(headers)
          || !ahead.get().plan.isIn(memory, module.base())) {
        return Optional.empty();
      }
      PlannedModule its = new PlannedModule(module, ahead.get().plan.image());
      List<PlannedFunction> functions =
          ahead.get().functions.stream().map(function -> function.in(its)).toList();
      return Optional.of(
          new TracePlan(functions, ahead.get().remarks, Optional.of(now), List.of(module)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
