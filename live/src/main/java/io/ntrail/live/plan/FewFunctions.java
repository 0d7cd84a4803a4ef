package io.ntrail.live.plan;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.NearbyFunctions;
import io.ntrail.programs.image.NearbyFunctions.Places;
import io.ntrail.programs.patchability.BranchFinder;
import io.ntrail.programs.patchability.Patchability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Facts that the planner needs of a large module of which a few functions are selected by their
 * names: all that is near these, and near what may branch to them. Planning comes to the same as
 * with all functions of the module.
 *
 * @param table the function table
 * @param functions those near
 * @param parts by start of a function the ranges that continue it, of the whole module
 * @param finder knows what may branch to the functions
 * @param runtime reason why the module is one of a language runtime
 */
record FewFunctions(
    FunctionTable table,
    Exports exports,
    Optional<LoadConfig> config,
    ImageFunctions functions,
    Map<Long, List<RuntimeFunction>> parts,
    BranchFinder finder,
    Optional<String> runtime) {
  /** Most functions that are few. */
  private static final int MOST = 1000;

  /** Bytes before and after a function that have to be known to decide where its jump may go. */
  private static final int AROUND = 1 << 10;

  /** Bytes before and after that are taken at first, as functions before may count, too. */
  private static final int FIRST = 4 << 10;

  /** Bytes before and after a place that may be a branch. */
  private static final int BRANCH = 64;

  /** Number of tries to find all that counts. */
  private static final int TRIES = 8;

  /**
   * Places that were found to branch to functions.
   *
   * @param starts where they start, ascending
   * @param places where the branches may begin
   * @param finder finds more
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Found(long[] starts, long[] places, BranchFinder finder) {
    long[] find(PeImage image, List<CodeRanges.Range> code, long[] asked) {
      return of(image, code, asked).places;
    }

    /** Returns what branches to some functions, by another search if these are others. */
    Found of(PeImage image, List<CodeRanges.Range> code, long[] asked) {
      boolean isKnown =
          Arrays.stream(asked).allMatch(start -> Arrays.binarySearch(starts, start) >= 0);
      long[] some = isKnown ? places : finder.find(image, code, asked);
      return new Found(asked, BranchFinder.narrowed(image, some, asked), finder);
    }
  }

  /**
   * Reads what is needed of a module.
   *
   * @param names of functions by RVA, besides those of exports
   * @param search searches in its file
   * @return empty if all functions have to be listed
   */
  static Optional<FewFunctions> of(
      PlannedModule module, Map<Long, String> names, Planner.Selection choice, ImageSearch search) {
    PeImage image = module.image();
    if (image.headers().machine() != MachineType.AMD64
        || !image.headers().isWide()
        || choice.wants(module.module(), "")) {
      return Optional.empty();
    }
    Optional<FunctionTable> table = FunctionTable.unchecked(image);
    if (table.isEmpty()) {
      return Optional.empty();
    }
    // The agent goes through the table with the code, or another thread meanwhile.
    CompletableFuture<Optional<int[]>> continuing = search.continuing(table.get());
    Exports exports = Exports.of(image);
    LongList selected = selected(module, exports, names, choice);
    if (selected.size() > MOST) {
      return Optional.empty();
    }
    if (selected.isEmpty()) {
      return Optional.of(none(image, exports, table.get(), search));
    }
    Optional<LoadConfig> config = LoadConfig.of(image);
    NearbyFunctions nearby = new NearbyFunctions(image, exports, config, table.get());
    Places places = new Places();
    for (long start : selected.toArray()) {
      places.add(start - FIRST, start + FIRST);
    }
    ImageFunctions rough = nearby.around(places);
    // It finds out which of them matter while all code is searched for branches to them.
    CompletableFuture<Optional<long[]>> related =
        CompletableFuture.supplyAsync(
            () -> related(image, nearby, rough, config, selected.toArray(), places));
    CompletableFuture<Optional<Optional<String>>> runtime =
        CompletableFuture.supplyAsync(() ->
            Optional.of(LanguageRuntimes.of(module.module(), image, exports, names.values())));
    List<CodeRanges.Range> code = rough.code().list();
    long[] all = new long[rough.list().size()];
    Arrays.setAll(all, rough::start);
    Found found = new Found(all, search.find(image, code, all), search);
    Optional<long[]> starts = result(related);
    Optional<int[]> entries = result(continuing);
    Optional<Optional<String>> reason = result(runtime);
    if (starts.isEmpty() || entries.isEmpty() || reason.isEmpty()) {
      return Optional.empty();
    }
    Found its = found.of(image, code, starts.get());
    for (long place : its.places) {
      places.add(place - BRANCH, place + BRANCH);
    }
    Map<Long, List<RuntimeFunction>> parts = parts(table.get(), entries.get());
    for (long start : starts.get()) {
      for (RuntimeFunction part : parts.getOrDefault(start, List.of())) {
        places.add(part.begin(), part.end());
      }
    }
    return Optional.of(
        new FewFunctions(
            table.get(), exports, config, nearby.around(places), parts, its::find, reason.get()));
  }

  /** Returns what is needed for no function. */
  private static FewFunctions none(
      PeImage image, Exports exports, FunctionTable table, ImageSearch search) {
    ImageFunctions none =
        new NearbyFunctions(image, exports, Optional.empty(), table).around(new Places());
    return new FewFunctions(
        table, exports, Optional.empty(), none, Map.of(), search, Optional.empty());
  }

  /** Returns a result of another thread; empty if the image is damaged where it was read. */
  private static <T> Optional<T> result(CompletableFuture<Optional<T>> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof DamagedInput) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Returns where functions may start that have a selected name. */
  private static LongList selected(
      PlannedModule module, Exports exports, Map<Long, String> names, Planner.Selection choice) {
    LongList selected = new LongList();
    for (Exports.Export export : exports.list()) {
      String name = export.name() != null ? export.name() : "#" + export.ordinal();
      if (export.forward() == null && choice.wants(module.module(), name)) {
        selected.add(export.rva());
      }
    }
    names.forEach((rva, name) -> {
      if (choice.wants(module.module(), name)) {
        selected.add(rva);
      }
    });
    return selected;
  }

  /**
   * Finds all functions on which the places for the jumps of the selected ones depend.
   *
   * @param rough functions near these places
   * @param places all that has to be looked at is added
   */
  private static Optional<long[]> related(
      PeImage image,
      NearbyFunctions nearby,
      ImageFunctions rough,
      Optional<LoadConfig> config,
      long[] selected,
      Places places) {
    ImageFunctions functions = rough;
    for (int i = 0; i < TRIES; i++) {
      BitSet wanted = new BitSet();
      for (long start : selected) {
        int index = functions.indexUpTo(start);
        if (index >= 0 && functions.start(index) == start) {
          wanted.set(index);
        }
      }
      Optional<long[]> related = Patchability.related(image, functions, config, wanted);
      if (related.isEmpty()) {
        return Optional.empty();
      }
      boolean isWhole = true;
      for (long start : related.get()) {
        if (!places.contain(start - AROUND, start + AROUND)) {
          places.add(start - FIRST, start + FIRST);
          isWhole = false;
        }
      }
      if (isWhole) {
        return related;
      }
      functions = nearby.around(places);
    }
    return Optional.empty();
  }

  private static Map<Long, List<RuntimeFunction>> parts(FunctionTable table, int[] continuing) {
    Map<Long, List<RuntimeFunction>> parts = new HashMap<>();
    List<RuntimeFunction> entries = table.entries();
    for (int row : continuing) {
      RuntimeFunction entry = entries.get(row);
      long owner = table.primary(entry).begin();
      List<RuntimeFunction> its = parts.get(owner);
      if (its == null) {
        // Without a lambda, whose class would be made while a thread waits.
        its = new ArrayList<>();
        parts.put(owner, its);
      }
      its.add(entry);
    }
    return parts;
  }
}
