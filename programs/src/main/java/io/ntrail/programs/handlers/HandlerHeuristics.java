package io.ntrail.programs.handlers;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.FuncInfo4;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import java.util.List;
import java.util.Optional;

/**
 * Guesses a handler from the data of its functions, where neither imports nor calls identify it:
 * kernels, and programs with a statically linked C runtime. All functions that have the handler
 * must agree, since a single word can look like anything: the offset of a cookie looks like a small
 * count of scopes.
 */
final class HandlerHeuristics {
  /** Frames are smaller, so that cookies are nearer. */
  private static final int FAR = 1 << 24;

  /** Without one of these there was no reason to write packed data. */
  private static final int TELLING = FuncInfo4.UNWIND_MAP | FuncInfo4.TRY_MAP | FuncInfo4.NOEXCEPT;

  /** Bound of the rows of tables that are examined, for all handlers together. */
  private static final int MOST = 1 << 22;

  private final PeImage image;
  private final ImageView view;
  private final FunctionTable table;
  private long looked;

  /**
   * A function that has the handler.
   *
   * @param function its entry
   * @param data RVA of the data of the handler
   */
  record Sample(RuntimeFunction function, long data) {}

  HandlerHeuristics(PeImage image, FunctionTable table) {
    this.image = image;
    this.view = image.view();
    this.table = table;
  }

  /**
   * Returns the kind that fits the data of all samples; empty: nothing known, or too little data.
   */
  Optional<HandlerKind> guess(List<Sample> samples) {
    if (looked > MOST || samples.stream().anyMatch(sample -> !view.has(sample.data, 4))) {
      return Optional.empty();
    }
    if (samples.stream().allMatch(this::isFuncInfo)) {
      return Optional.of(HandlerKind.CXX3);
    }
    if (samples.stream().allMatch(this::isScopes)) {
      boolean cookies = samples.size() > 1 && samples.stream().allMatch(this::hasCookieBehind);
      return Optional.of(cookies ? HandlerKind.GS_C : HandlerKind.C);
    }
    if (samples.stream().allMatch(this::isPacked)) {
      return Optional.of(HandlerKind.CXX4);
    }
    if (samples.stream().allMatch(this::isItanium)) {
      return Optional.of(HandlerKind.ITANIUM);
    }
    if (samples.stream().allMatch(this::isOnlyCookie)) {
      return Optional.of(HandlerKind.GS);
    }
    return Optional.empty();
  }

  private boolean isFuncInfo(Sample sample) {
    return FuncInfo3.isAt(image, view.u32(sample.data));
  }

  private boolean isScopes(Sample sample) {
    ScopeTable scopes = ScopeTable.read(view, sample.data);
    looked += scopes.scopes().size();
    return looked <= MOST
        && scopes.damage().isEmpty()
        && !scopes.scopes().isEmpty()
        && scopes.scopes().stream().allMatch(scope -> isScope(scope, sample.function));
  }

  private boolean isScope(ScopeTable.Scope scope, RuntimeFunction function) {
    return scope.begin() < scope.end()
        && isPart(scope.begin(), function)
        && (scope.handler() == 1 || image.isExecutable(scope.handler()))
        && (scope.target() == 0 || image.isExecutable(scope.target()));
  }

  /** Returns true if an address is in a function, or in a part that was moved out of it. */
  private boolean isPart(long address, RuntimeFunction function) {
    return function.contains(address)
        || table
            .entry(address)
            .map(entry -> table.primary(entry).begin() == function.begin())
            .orElse(false);
  }

  private boolean hasCookieBehind(Sample sample) {
    long rva = ScopeTable.read(view, sample.data).end();
    // What else can follow is unwind information, whose third byte is 0 only if it has no codes.
    return view.has(rva, 4)
        && (view.i32(rva) & 3) != 0
        && Math.abs((long) (view.i32(rva) & ~7)) < 0x1_0000
        && isCookie(rva);
  }

  private boolean isPacked(Sample sample) {
    long rva = view.u32(sample.data);
    FuncInfo4 info = FuncInfo4.read(image, rva, sample.function.begin());
    List<CxxFunction.IpState> rows =
        info.segments().stream().flatMap(segment -> segment.ipStates().stream()).toList();
    looked += rows.size() + info.steps().size();
    return looked <= MOST
        && info.damage().isEmpty()
        && (info.header() & TELLING) != 0
        && !rows.isEmpty()
        && rows.stream().allMatch(row -> isState(row, info))
        && rows.stream().allMatch(row -> info.is(FuncInfo4.SEPARATED) || within(row, sample))
        && info.steps().stream().allMatch(this::runsCode);
  }

  private static boolean isState(CxxFunction.IpState row, FuncInfo4 info) {
    return row.state() < Math.max(1, info.steps().size());
  }

  private static boolean within(CxxFunction.IpState row, Sample sample) {
    return row.ip() >= sample.function.begin() && row.ip() <= sample.function.end();
  }

  private boolean runsCode(CxxFunction.Step step) {
    return step.handler() == 0 || image.isExecutable(step.handler());
  }

  /** No base, types as RVAs or not at all, and packed call sites: what GCC and Clang write. */
  private boolean isItanium(Sample sample) {
    int types = view.u8(sample.data + 1);
    return view.u8(sample.data) == 0xFF && (types == 0xFF || types == 0x9B || types == 0x00);
  }

  /** Returns true if the data can be a cookie only, which has no flags. */
  private boolean isOnlyCookie(Sample sample) {
    return (view.i32(sample.data) & 3) == 0 && isCookie(sample.data);
  }

  /** Not far from the frame, and if that is aligned, to a power of two. */
  private boolean isCookie(long rva) {
    if (!view.has(rva, 4)) {
      return false;
    }
    int word = view.i32(rva);
    int offset = word & ~7;
    return offset != 0
        && Math.abs((long) offset) < FAR
        && ((word & 4) == 0 || view.has(rva, 12) && Integer.bitCount(view.i32(rva + 8)) == 1);
  }
}
