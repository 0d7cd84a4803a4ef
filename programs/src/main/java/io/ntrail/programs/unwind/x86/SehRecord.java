package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.LoadedModule;
import java.util.Optional;
import java.util.Set;

/**
 * A registration record of an exception handler (EXCEPTION_REGISTRATION_RECORD), and what the
 * system would say about it when an exception is raised.
 *
 * @param address of the record
 * @param next address of the record that is asked after this one; 0xFFFFFFFF in the last one
 * @param handler address of the handler
 * @param module that the handler is in; empty if it is in none
 * @param flaws for which the system would not go on; empty if there are none
 * @param permission of the handler's module to run it
 */
public record SehRecord(
    long address,
    long next,
    long handler,
    Optional<LoadedModule> module,
    Set<Flaw> flaws,
    Permission permission) {

  /** Copies the flaws. */
  public SehRecord {
    flaws = Set.copyOf(flaws);
  }

  /** Properties that a record must not have. */
  public enum Flaw {
    /** Not all of its 8 bytes are on the stack of the thread. */
    OUTSIDE_STACK("outside the stack"),
    /** Its address is not a multiple of 4. */
    MISALIGNED("not aligned"),
    /** It is not above the record before it. */
    NOT_ASCENDING("not above the record before it"),
    /** Its handler is on the stack of the thread. */
    HANDLER_ON_STACK("handler on the stack");

    private final String text;

    Flaw(String text) {
      this.text = text;
    }

    /** Returns a phrase for people. */
    public String text() {
      return text;
    }
  }

  /** Permissions of modules to run a handler. */
  public enum Permission {
    /** It is in the SafeSEH table. */
    LISTED("in the SafeSEH table", true),
    /** There is a SafeSEH table, and it is not in it. */
    NOT_LISTED("not in the SafeSEH table", false),
    /** The module says that it has no handlers (NO_SEH). */
    NO_SEH("in a module without handlers", false),
    /** The module has only managed code. */
    MANAGED_MODULE("in a managed module", false),
    /** The module has no SafeSEH table: any address may be a handler. */
    NO_TABLE("module has no SafeSEH table", true),
    /** The headers of the module are not at hand. */
    UNKNOWN("module is not at hand", true),
    /** In no module: policies of the process decide. */
    OUTSIDE_MODULES("in no module", false);

    private final String text;
    private final boolean allows;

    Permission(String text, boolean allows) {
      this.text = text;
      this.allows = allows;
    }

    /** Returns a phrase for people. */
    public String text() {
      return text;
    }

    /** Returns true if nothing that is known forbids the handler to run. */
    public boolean allows() {
      return allows;
    }
  }

  /** Returns true if nothing that is known keeps the system from calling the handler. */
  public boolean isAccepted() {
    return flaws.isEmpty() && permission.allows();
  }
}
