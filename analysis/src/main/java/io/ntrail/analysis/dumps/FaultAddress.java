package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.UnloadedModule;
import io.ntrail.formats.dump.streams.MemoryInfo;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An address at which an access failed, and what is there.
 *
 * @param address zero-extended if the process is a 32-bit one
 * @param kind of the address
 * @param text in words: a noun phrase; empty if the dump does not tell
 */
public record FaultAddress(long address, AddressKind kind, String text) {
  /** Fields of null pointers lie in the first 64 KiB, where nothing can be allocated. */
  private static final long NULL_AREA = 0x1_0000;

  private static final int CANONICAL_BITS = 48;

  /** Ways of access, as the first parameter of an access violation numbers them. */
  public enum Access {
    /** A load. */
    READ("read"),
    /** A store. */
    WRITE("wrote"),
    /** Execution of an instruction there. */
    EXECUTE("executed"),
    /** A number that is not known. */
    OTHER("accessed");

    private final String verb;

    Access(String verb) {
      this.verb = verb;
    }

    /** Returns the verb in the past, to follow {@code it}. */
    public String verb() {
      return verb;
    }

    static Access of(long number) {
      return switch ((int) number) {
        case 0 -> READ;
        case 1 -> WRITE;
        case 8 -> EXECUTE;
        default -> OTHER;
      };
    }
  }

  static FaultAddress of(
      long address, Access access, DumpView view, @Nullable DumpedThread thread) {
    return new Finder(view, thread).find(address, access);
  }

  /** Finds out what is at an address. */
  private record Finder(DumpView view, @Nullable DumpedThread thread) {
    FaultAddress find(long address, Access access) {
      long top = view.is64Bit() ? address : address << 32 >> 32;
      if (view.is64Bit() && address == -1 && access == Access.READ) {
        return new FaultAddress(
            address,
            AddressKind.NON_CANONICAL,
            "the processor does not report the address: it is not canonical, or the instruction is"
                + " not allowed");
      }
      if (Long.compareUnsigned(address, NULL_AREA) < 0) {
        String offset = address == 0 ? "" : " + 0x" + Long.toHexString(address);
        return new FaultAddress(address, AddressKind.NULL, "null pointer" + offset);
      }
      if (top < 0 && top > -NULL_AREA) {
        return new FaultAddress(
            address, AddressKind.NULL, "null pointer - 0x" + Long.toHexString(-top));
      }
      if (view.is64Bit() && address << 64 - CANONICAL_BITS >> 64 - CANONICAL_BITS != address) {
        return new FaultAddress(address, AddressKind.NON_CANONICAL, "not a canonical address");
      }
      Optional<FaultAddress> inStack = inStack(address);
      if (inStack.isPresent()) {
        return inStack.get();
      }
      Optional<MemoryInfo> info = view.memory().infos().at(address);
      return info.isPresent() ? mapped(address, access, info.get()) : unmapped(address);
    }

    private Optional<FaultAddress> inStack(long address) {
      Optional<StackBounds> stack = thread == null ? Optional.empty() : view.stack(thread);
      boolean isBelow =
          stack.isPresent()
              && stack.get().contains(address)
              && Long.compareUnsigned(address, stack.get().low()) < 0;
      return isBelow
          ? Optional.of(
              new FaultAddress(
                  address,
                  AddressKind.STACK_RESERVE,
                  "the reserve of its stack, 0x"
                      + Long.toHexString(stack.get().low() - address)
                      + " below what is committed"))
          : Optional.empty();
    }

    private FaultAddress mapped(long address, Access access, MemoryInfo info) {
      if (info.isFree()) {
        Optional<UnloadedModule> unloaded = view.modules().unloadedAt(address);
        return unloaded.isPresent()
            ? unloaded(address, unloaded.get())
            : new FaultAddress(address, AddressKind.FREE, "nothing is allocated there");
      }
      if (!info.isCommitted()) {
        return new FaultAddress(address, AddressKind.RESERVED, "reserved, without memory");
      }
      String owner = owner(address);
      if (info.isGuard()) {
        return new FaultAddress(
            address,
            AddressKind.GUARD_PAGE,
            owner.isEmpty() ? "a guard page" : "a guard page of " + owner);
      }
      boolean isAllowed =
          switch (access) {
            case READ -> info.isReadable();
            case WRITE -> info.isWritable();
            case EXECUTE -> info.isExecutable();
            case OTHER -> true;
          };
      String what = owner.isEmpty() ? "memory" : owner;
      if (isAllowed) {
        return new FaultAddress(address, AddressKind.ACCESSIBLE, what + ", which allows that now");
      }
      String why =
          access == Access.EXECUTE
              ? "not executable"
              : info.isReadable() ? "read-only" : "without access";
      return new FaultAddress(address, AddressKind.PROTECTED, what + " that is " + why);
    }

    private FaultAddress unmapped(long address) {
      Optional<UnloadedModule> unloaded = view.modules().unloadedAt(address);
      if (unloaded.isPresent() && view.modules().moduleAt(address).isEmpty()) {
        return unloaded(address, unloaded.get());
      }
      String owner = owner(address);
      boolean isSaved = view.memory().isSaved(address);
      return new FaultAddress(
          address, isSaved ? AddressKind.PROTECTED : AddressKind.UNKNOWN, owner);
    }

    private static FaultAddress unloaded(long address, UnloadedModule module) {
      return new FaultAddress(
          address,
          AddressKind.UNLOADED_MODULE,
          "in " + DumpedModule.nameOf(module.path()) + ", which was unloaded");
    }

    private String owner(long address) {
      Optional<DumpedModule> module = view.modules().moduleAt(address);
      if (module.isPresent()) {
        return module.get().name();
      }
      boolean isStack =
          thread != null
              && view.stack(thread).map(bounds -> bounds.contains(address)).orElse(false);
      return isStack ? "its stack" : "";
    }
  }
}
