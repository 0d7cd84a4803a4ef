package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.TracedCode.Prologue;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.x86.CodeSize;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Demands of a module's architecture on functions before they are traced: how stacks are unwound,
 * and which names mean something there. For one thread.
 */
interface ModuleRules {
  /**
   * Answer about the first instructions of a function.
   *
   * @param kind why they cannot be moved; null if they can
   * @param prologue unwind data for the moved instructions
   */
  record Moved(@Nullable Kind kind, Prologue prologue) {
    /** Moved instructions that need no unwind data. */
    static final Moved PLAIN = new Moved(null, Prologue.NONE);

    static Moved refused(Kind kind) {
      return new Moved(kind, Prologue.NONE);
    }
  }

  /** Returns the size of its code. */
  CodeSize codeSize();

  /** Returns further names by which a function is meant that has a name. */
  List<String> aliases(String name);

  /** Returns what is known of functions with a name; null if nothing is. */
  @Nullable Kind known(String name);

  /**
   * Returns whether the first instructions of a function can be moved.
   *
   * @param unit the instructions
   */
  Moved moved(FunctionPatch patch, Bytes unit);

  /** Returns why only the entries of a function can be recorded; empty if its exits can be, too. */
  Optional<SkipReason> entriesOnly(FunctionPatch patch);

  /** Returns the same for another thread. */
  ModuleRules forAnotherThread();
}
