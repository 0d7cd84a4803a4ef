package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.decoration.CDecoration;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.unwind.x86.ReturnAddressUse;
import io.ntrail.programs.x86.CodeSize;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rules for IA-32: exceptions follow the list of registrations, so moved instructions need no
 * unwind data; nothing but code says what a function does with its stack. C++ of GNU compilers
 * follows return addresses: it has to be told of slots.
 */
final class Ia32Rules implements ModuleRules {
  /** Code that GCC moved out of a function, as its symbol table calls it. */
  private static final Pattern COLD_PART = Pattern.compile(".+\\.cold(\\.\\d+)?");

  private final PeImage image;
  private final long base;
  private final ImageFunctions functions;
  private final GnuUnwinder unwinder;
  private final ReturnAddressUse returnAddresses;

  /**
   * Rules for a module.
   *
   * @param base for which pointers in the image are made
   */
  Ia32Rules(PeImage image, long base, ImageFunctions functions, GnuUnwinder unwinder) {
    this.image = image;
    this.base = base;
    this.functions = functions;
    this.unwinder = unwinder;
    this.returnAddresses = new ReturnAddressUse(image, base, this::isFunction);
  }

  private boolean isFunction(long rva) {
    int index = functions.indexUpTo(rva);
    return index >= 0 && functions.start(index) == rva;
  }

  @Override
  public ModuleRules forAnotherThread() {
    return new Ia32Rules(image, base, functions, unwinder);
  }

  @Override
  public CodeSize codeSize() {
    return CodeSize.BITS32;
  }

  @Override
  public List<String> aliases(String name) {
    String plain = CDecoration.plain(name);
    return plain.equals(name) ? List.of() : List.of(plain);
  }

  @Override
  public @Nullable Kind known(String name) {
    if (COLD_PART.matcher(name).matches()) {
      return Kind.PART;
    }
    Kind kind = DenyList.ofIa32(name);
    return kind != null ? kind : DenyList.ofIa32(CDecoration.plain(name));
  }

  @Override
  public Moved moved(FunctionPatch patch, Bytes unit) {
    return Moved.PLAIN;
  }

  @Override
  public Optional<SkipReason> entriesOnly(FunctionPatch patch) {
    if (!unwinder.isReachable()) {
      return Optional.of(SkipReason.of(Kind.UNWINDER));
    }
    return switch (returnAddresses.of(patch.function().rva())) {
      case NONE -> Optional.empty();
      case USED -> Optional.of(SkipReason.of(Kind.READS_RETURN_ADDRESS));
      case UNKNOWN -> Optional.of(SkipReason.of(Kind.STACK_UNKNOWN));
    };
  }
}
