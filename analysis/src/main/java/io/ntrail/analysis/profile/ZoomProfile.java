package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FrameLookup.Hit;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.collections.LongLongMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Samples by module, and of some modules by function, as kernrate counts. A hit is counted in the
 * bucket of its address, and a bucket belongs to the function of its first byte.
 */
public final class ZoomProfile implements ProfileAggregator {
  private final int bucket;
  private final PatternSet patterns;
  private final LongLongMap modules = new LongLongMap();
  private final Map<Integer, Zoomed> zoomed = new HashMap<>();
  private final BitSet judged = new BitSet();
  private final Hit hit = new Hit();
  private @Nullable FunctionIndex functions;

  /** Hits of one module. */
  private static final class Zoomed {
    final LongLongMap functions = new LongLongMap();

    /** Hits of code without a name, by the first byte of their bucket. */
    final LongLongMap unnamed = new LongLongMap();

    long elsewhere;
  }

  /**
   * Hits of a module or a function.
   *
   * @param text name of the module or function; of code without a name the first byte of its bucket
   * @param function null if it has no name
   * @param rva where the function, or the bucket, begins in its module; -1 if it has no place there
   */
  public record Row(String text, @Nullable String function, long rva, long hits) {
    static final Comparator<Row> ORDER =
        Comparator.comparingLong(Row::hits).reversed().thenComparing(Row::text);
  }

  /**
   * Module that was looked into.
   *
   * @param elsewhere hits whose address is in another function than the first byte of its bucket
   */
  public record Module(String name, long hits, long elsewhere, List<Row> rows) {
    /** Copies the list. */
    public Module {
      rows = List.copyOf(rows);
    }
  }

  /**
   * Creates an empty profile.
   *
   * @param bucket bytes of a bucket, a power of two
   * @param patterns modules to look into
   */
  public ZoomProfile(int bucket, List<NamePattern> patterns) {
    this.bucket = bucket;
    this.patterns = new PatternSet(patterns);
  }

  @Override
  public void add(WeightedStack stack) {
    FrameLookup names = stack.names();
    FunctionIndex meanings = names.functions();
    functions = meanings;
    if (!stack.innermost(hit, bucket)) {
      modules.add(FunctionIndex.NO_STACK, stack.weight());
      return;
    }
    modules.add(hit.module(), stack.weight());
    String name = meanings.moduleName(hit.module());
    if (!judged.get(hit.module())) {
      judged.set(hit.module());
      if (patterns.fit(pattern -> FunctionIndex.isModule(name, pattern))) {
        zoomed.put(hit.module(), new Zoomed());
      }
    }
    Zoomed zoom = zoomed.get(hit.module());
    if (zoom == null) {
      return;
    }
    if (hit.bucketFunction() >= 0) {
      zoom.functions.add(hit.bucketFunction(), stack.weight());
    } else {
      long begin = hit.rva() < 0 ? -1 : hit.rva() & -bucket;
      zoom.unnamed.add(begin, stack.weight());
    }
    if (hit.function() != hit.bucketFunction()) {
      zoom.elsewhere += stack.weight();
    }
  }

  /** Returns all modules, those with most hits first. */
  public List<Row> modules() {
    FunctionIndex meanings = functions;
    List<Row> rows = new ArrayList<>();
    if (meanings != null) {
      modules.forEach(
          (module, hits) -> rows.add(new Row(meanings.moduleName((int) module), null, -1, hits)));
    }
    rows.sort(Row.ORDER);
    return rows;
  }

  /** Returns the modules that were looked into, those with most hits first. */
  public List<Module> zoomed() {
    FunctionIndex meanings = functions;
    List<Module> result = new ArrayList<>();
    if (meanings == null) {
      return result;
    }
    zoomed.forEach((module, zoom) -> {
      List<Row> rows = new ArrayList<>();
      zoom.functions.forEach((function, hits) -> {
        String name = meanings.name((int) function);
        rows.add(new Row(String.valueOf(name), name, meanings.rva((int) function), hits));
      });
      zoom.unnamed.forEach((rva, hits) ->
          rows.add(new Row(rva < 0 ? "(unknown)" : "0x" + Long.toHexString(rva), null, rva, hits)));
      rows.sort(Row.ORDER);
      long hits = modules.get(module);
      result.add(new Module(meanings.moduleName(module), hits, zoom.elsewhere, rows));
    });
    result.sort(Comparator.comparingLong(Module::hits).reversed().thenComparing(Module::name));
    return result;
  }

  /** Returns the modules that were requested and have no hits. */
  public List<UnmatchedTerm> unmatched() {
    return patterns.unmatched(
        UnmatchedTerm.What.MODULE, modules().stream().map(Row::text).toList());
  }
}
