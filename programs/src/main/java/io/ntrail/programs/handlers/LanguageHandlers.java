package io.ntrail.programs.handlers;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.FuncInfo4;
import io.ntrail.formats.pe.handlers.GsData;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.programs.handlers.HandlerHeuristics.Sample;
import io.ntrail.programs.handlers.HandlerResolver.End;
import io.ntrail.programs.handlers.LanguageHandler.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Identifies the language handlers of an x64 image's functions, and reads their data.
 *
 * <p>Unwind information has the address of a handler. Mostly that is a jump to an import, which has
 * a name; or the image exports it; or it checks a stack cookie and continues in one of these, which
 * shows in its calls. For the rest, the data are examined, for all functions that have it.
 */
public final class LanguageHandlers {
  /** Number of functions of a handler that are examined to identify the kind of its data. */
  private static final int SAMPLES = 64;

  private final PeImage image;
  private final ImageView view;
  private final FunctionTable table;
  private final Map<Long, LanguageHandler> handlers = new TreeMap<>();

  private LanguageHandlers(PeImage image, FunctionTable table) {
    this.image = image;
    this.view = image.view();
    this.table = table;
  }

  /** Returns the handlers of an image; none if it is not for x64. */
  public static LanguageHandlers of(PeImage image, FunctionTable table) {
    LanguageHandlers found = new LanguageHandlers(image, table);
    found.find();
    return found;
  }

  /** The handlers, by address. */
  public List<LanguageHandler> handlers() {
    return List.copyOf(handlers.values());
  }

  /** The handler of a function and what it reads; empty: it has none. */
  public Optional<HandledFunction> of(RuntimeFunction entry) {
    return of(table.chain(entry));
  }

  /** Returns the handler and data of a function whose unwind information is at hand. */
  public Optional<HandledFunction> of(UnwindChain chain) {
    UnwindInfo info = chain.last();
    LanguageHandler handler = handlers.get(info.handler());
    if (!info.hasHandler() || handler == null) {
      return Optional.empty();
    }
    RuntimeFunction function = chain.primary();
    return Optional.of(
        new HandledFunction(
            function, info, handler, data(handler.kind(), info.handlerData(), function)));
  }

  private HandlerData data(HandlerKind kind, long rva, RuntimeFunction function) {
    if (kind.shape() == HandlerKind.Shape.ITANIUM) {
      return new HandlerData.Itanium(rva);
    }
    if (!view.has(rva, 4)) {
      return new HandlerData.Unknown(rva);
    }
    return switch (kind.shape()) {
      case SCOPES -> {
        ScopeTable scopes = ScopeTable.read(view, rva);
        yield new HandlerData.Scopes(scopes, cookie(kind, scopes.end()));
      }
      case CXX -> new HandlerData.Cxx(FuncInfo3.read(image, view.u32(rva)), cookie(kind, rva + 4));
      case CXX_PACKED ->
          new HandlerData.Cxx(
              FuncInfo4.read(image, view.u32(rva), function.begin()), cookie(kind, rva + 4));
      case NOTHING ->
          cookie(kind, rva)
              .<HandlerData>map(HandlerData.Cookie::new)
              .orElse(new HandlerData.Unknown(rva));
      case ITANIUM, UNKNOWN -> new HandlerData.Unknown(rva);
    };
  }

  private Optional<GsData> cookie(HandlerKind kind, long rva) {
    // It takes 12 bytes at most; the last ones of an image can be fewer.
    boolean there = view.has(rva, 4) && ((view.u8(rva) & 4) == 0 || view.has(rva, 12));
    return kind.hasCookie() && there ? Optional.of(GsData.read(view, rva)) : Optional.empty();
  }

  private void find() {
    Map<Long, List<Sample>> samples = samples();
    if (samples.isEmpty()) {
      return;
    }
    HandlerResolver code = new HandlerResolver(image, table);
    samples.keySet().forEach(rva -> named(code, rva).ifPresent(this::add));
    List<Long> rest = rest(samples);
    rest.forEach(rva -> checking(code, rva).ifPresent(this::add));
    HandlerHeuristics guess = new HandlerHeuristics(image, table);
    rest = rest(samples);
    for (long rva : rest) {
      guess
          .guess(samples.getOrDefault(rva, List.of()))
          .ifPresent(kind -> add(new LanguageHandler(rva, kind, kind.symbol(), Found.DATA)));
    }
    // A handler that was found by its data can be what another one calls.
    for (long rva : rest) {
      checking(code, rva).ifPresent(this::add);
    }
    for (long rva : rest(samples)) {
      add(new LanguageHandler(rva, HandlerKind.OTHER, "", Found.NOT_FOUND));
    }
  }

  private void add(LanguageHandler handler) {
    handlers.put(handler.rva(), handler);
  }

  private List<Long> rest(Map<Long, List<Sample>> samples) {
    return samples.keySet().stream().filter(rva -> !handlers.containsKey(rva)).toList();
  }

  /** Functions that each handler has, by the address of the handler. */
  private Map<Long, List<Sample>> samples() {
    Map<Long, List<Sample>> samples = new TreeMap<>();
    for (RuntimeFunction entry : table.entries()) {
      if (entry.indirect()) {
        continue;
      }
      UnwindInfo info = UnwindInfo.read(view, entry.unwindInfo());
      if (info.hasHandler()) {
        List<Sample> some = samples.computeIfAbsent(info.handler(), rva -> new ArrayList<>());
        if (some.size() < SAMPLES) {
          some.add(new Sample(entry, info.handlerData()));
        }
      }
    }
    return samples;
  }

  private static Optional<LanguageHandler> named(HandlerResolver code, long rva) {
    End end = code.follow(rva);
    if (end.imported().isPresent()) {
      return Optional.of(named(rva, end.imported().get(), Found.IMPORT));
    }
    return code.exported(rva)
        .or(() -> code.exported(end.rva()))
        .map(name -> named(rva, name, Found.EXPORT));
  }

  private static LanguageHandler named(long rva, String name, Found found) {
    return new LanguageHandler(rva, HandlerKind.of(name).orElse(HandlerKind.OTHER), name, found);
  }

  /** Returns the handler that checks a cookie and then continues in a known one. */
  private Optional<LanguageHandler> checking(HandlerResolver code, long rva) {
    for (End end : code.calls(code.follow(rva).rva())) {
      Optional<HandlerKind> called =
          end.imported()
              .or(() -> code.exported(end.rva()))
              .flatMap(HandlerKind::of)
              .or(() -> Optional.ofNullable(handlers.get(end.rva())).map(LanguageHandler::kind));
      Optional<HandlerKind> checked =
          end.rva() == rva ? Optional.empty() : called.flatMap(HandlerKind::checked);
      if (checked.isPresent()) {
        HandlerKind kind = checked.get();
        return Optional.of(new LanguageHandler(rva, kind, kind.symbol(), Found.CALLS));
      }
    }
    return Optional.empty();
  }
}
