package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.pe.ClrHeader;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.x86.SehRecord.Flaw;
import io.ntrail.programs.unwind.x86.SehRecord.Permission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The exception handlers of a 32-bit thread, in the order in which they are asked. The chain begins
 * at {@code fs:[0]}, its records lie on the stack.
 *
 * @param records in order; also those that the system would not accept
 * @param end why there are no more
 */
public record SehChain(List<SehRecord> records, End end) {
  private static final long LAST = 0xFFFF_FFFFL;
  private static final int RECORD = 8;
  private static final int MOST_RECORDS = 10_000;

  /** Reasons for which a chain ends. */
  public enum End {
    /** Its last record says so. */
    COMPLETE,
    /** A record that is pointed to cannot be read, or the head of the chain. */
    MEMORY_MISSING,
    /** It comes back to a record. */
    CYCLE,
    /** More records than the limit. */
    TOO_MANY
  }

  /** Copies the list. */
  public SehChain {
    records = List.copyOf(records);
  }

  /**
   * Reads a chain.
   *
   * @param exceptionList address of the word that {@code fs:[0]} is: the first of the thread's
   *     environment block
   * @param limits of the thread's stack
   */
  public static SehChain read(
      AddressSpace memory, LoadedModules modules, long exceptionList, StackLimits limits) {
    Words words = new Words(memory);
    List<SehRecord> records = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    long at = words.at(exceptionList);
    long before = 0;
    while (at != LAST) {
      long next = at == Words.MISSING ? Words.MISSING : words.at(at);
      long handler = next == Words.MISSING ? Words.MISSING : words.at(at + 4);
      if (handler == Words.MISSING) {
        return new SehChain(records, End.MEMORY_MISSING);
      }
      if (!seen.add(at)) {
        return new SehChain(records, End.CYCLE);
      }
      if (records.size() == MOST_RECORDS) {
        return new SehChain(records, End.TOO_MANY);
      }
      Optional<LoadedModule> module = modules.at(handler);
      records.add(
          new SehRecord(
              at,
              next,
              handler,
              module,
              flaws(at, before, handler, limits),
              permission(handler, module)));
      before = at;
      at = next;
    }
    return new SehChain(records, End.COMPLETE);
  }

  private static Set<Flaw> flaws(long at, long before, long handler, StackLimits limits) {
    Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);
    if (!limits.holds(at, RECORD)) {
      flaws.add(Flaw.OUTSIDE_STACK);
    }
    if (at % 4 != 0) {
      flaws.add(Flaw.MISALIGNED);
    }
    if (at <= before) {
      flaws.add(Flaw.NOT_ASCENDING);
    }
    if (limits.isKnown() && limits.holds(handler, 1)) {
      flaws.add(Flaw.HANDLER_ON_STACK);
    }
    return flaws;
  }

  private static Permission permission(long handler, Optional<LoadedModule> module) {
    if (module.isEmpty()) {
      return Permission.OUTSIDE_MODULES;
    }
    Optional<PeImage> image = module.get().image();
    return image.isEmpty()
        ? Permission.UNKNOWN
        : permission(image.get(), handler - module.get().base());
  }

  private static Permission permission(PeImage image, long rva) {
    if (image.headers().isDll(PeHeaders.NO_SEH)) {
      return Permission.NO_SEH;
    }
    Optional<long[]> table = LoadConfig.of(image).flatMap(LoadConfig::safeSehHandlers);
    if (table.isPresent()) {
      return Arrays.stream(table.get()).anyMatch(listed -> listed == rva)
          ? Permission.LISTED
          : Permission.NOT_LISTED;
    }
    return ClrHeader.of(image).map(clr -> clr.is(ClrHeader.IL_ONLY)).orElse(false)
        ? Permission.MANAGED_MODULE
        : Permission.NO_TABLE;
  }

  /**
   * Returns true if the chain ends as a system with SEHOP demands: complete, with a handler of
   * ntdll in its last record. Whether it is FinalExceptionHandler, only symbols of ntdll tell.
   */
  public boolean endsInNtdll() {
    return end == End.COMPLETE
        && !records.isEmpty()
        && records.getLast().module().map(SehChain::isNtdll).orElse(false);
  }

  private static boolean isNtdll(LoadedModule module) {
    String name = module.name().toLowerCase(Locale.ROOT).replace('/', '\\');
    return name.substring(name.lastIndexOf('\\') + 1).equals("ntdll.dll");
  }
}
