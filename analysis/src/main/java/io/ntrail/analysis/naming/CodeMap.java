package io.ntrail.analysis.naming;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Address history of processes: the image that lies at an address at a time, or the method that was
 * compiled while the program ran, or nothing that is known. Follows a walk in time order; going
 * back means to begin anew. One thread at a time.
 */
public final class CodeMap {
  private static final int IDLE = 0;
  private static final int SYSTEM = 4;

  private final Images imagesOfAll;
  private final Methods methodsOfAll;
  private final AddressRangeLifetimes imageLives;
  private final AddressRangeLifetimes methodLives;
  private final AddressRangeLifetimes.Walk images;
  private final AddressRangeLifetimes.Walk methods;
  private final LongPredicate isKernel;
  private final Map<Integer, Space> spaces = new HashMap<>();

  /**
   * Creates the map of all processes of a recording.
   *
   * @param isKernel whether an address is of the kernel's half
   */
  public CodeMap(Images images, Methods methods, LongPredicate isKernel) {
    this.imagesOfAll = images;
    this.methodsOfAll = methods;
    this.isKernel = isKernel;
    this.imageLives = images.lives();
    this.methodLives = methods.lives();
    this.images = imageLives.new Walk(isKernel);
    this.methods = methodLives.new Walk(isKernel);
  }

  /** Returns a map of the same processes, which another thread can go along with. */
  CodeMap another() {
    return new CodeMap(imagesOfAll, methodsOfAll, isKernel);
  }

  /** Returns the address space of a process; the kernel's addresses are in each. */
  public Space space(int process) {
    return spaces.computeIfAbsent(process, Space::new);
  }

  /** Returns whether an address is of the kernel's half. */
  public boolean isKernel(long address) {
    return isKernel.test(address);
  }

  /**
   * Contents of one half of an address space, as 128 bits that are almost certainly others where
   * anything else lies at any address.
   */
  public record Layout(long low, long high) {
    // Written out: what a record makes of itself at run time costs milliseconds at every start.
    @Override
    public boolean equals(Object other) {
      return other instanceof Layout layout && layout.low == low && layout.high == high;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(31 * low + high);
    }
  }

  /**
   * Returns the spellings of names of images by the names in small letters; of several the
   * smallest.
   */
  public Map<String, String> spellings() {
    Map<String, String> spellings = new HashMap<>();
    for (ImageFile file : imagesOfAll.files()) {
      String name = file.name();
      spellings.merge(name.toLowerCase(Locale.ROOT), name, (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
    return spellings;
  }

  /**
   * Returns the names of images that lie in the kernel's half and in the other, in small letters;
   * null if methods were compiled in the kernel's half.
   */
  public @Nullable Set<String> namesInBothHalves() {
    for (int life = 0; life < methodLives.count(); life++) {
      if (methodLives.reaches(life, isKernel, true)) {
        return null;
      }
    }
    Set<String> upper = names(true);
    upper.retainAll(names(false));
    return upper;
  }

  private Set<String> names(boolean kernel) {
    BitSet files = new BitSet();
    for (int life = 0; life < imageLives.count(); life++) {
      if (imageLives.value(life) >= 0 && imageLives.reaches(life, isKernel, kernel)) {
        files.set(imageLives.value(life));
      }
    }
    Set<String> names = new HashSet<>();
    files.stream()
        .forEach(i -> names.add(imagesOfAll.files().get(i).name().toLowerCase(Locale.ROOT)));
    return names;
  }

  /** Address space of one process, as it is at a time. */
  public final class Space {
    private final AddressRangeLifetimes.Space own;
    private final AddressRangeLifetimes.Space idle;
    private final AddressRangeLifetimes.Space system;
    private final AddressRangeLifetimes.Space compiled;
    private int image = -1;
    private int method = -1;
    private long found;

    private Space(int process) {
      own = images.space(process);
      idle = images.space(IDLE);
      system = images.space(SYSTEM);
      compiled = methods.space(process);
    }

    /** Goes to a time. */
    public void moveTo(long key) {
      own.moveTo(key);
      idle.moveTo(key);
      system.moveTo(key);
      compiled.moveTo(key);
    }

    /** Returns a time from which on all is as it is now. */
    long from() {
      return Math.max(Math.max(own.from(), compiled.from()), Math.max(idle.from(), system.from()));
    }

    /** Returns the time before which all is as it is now. */
    long until() {
      return Math.min(
          Math.min(own.until(), compiled.until()), Math.min(idle.until(), system.until()));
    }

    /**
     * Returns another number than before if anything came or went, in the process or the kernel.
     */
    public int changes() {
      return own.changes() + compiled.changes() + idle.changes() + system.changes();
    }

    /**
     * Returns the layout of the kernel's half now, or of the other: the same for all processes and
     * times with the same answers.
     */
    public Layout layout(boolean kernel) {
      return new Layout(layout(kernel, false), layout(kernel, true));
    }

    private long layout(boolean kernel, boolean other) {
      // What the kernel's own processes have there counts below, as it does for all others.
      boolean isOfAll = kernel && (own == idle || own == system);
      long layout = isOfAll ? 0 : own.layout(kernel, other) * 0x9E37_79B9_7F4A_7C15L;
      layout += compiled.layout(kernel, other);
      if (kernel) {
        layout = layout * 0x9E37_79B9_7F4A_7C15L + idle.layout(true, other);
        layout = layout * 0x9E37_79B9_7F4A_7C15L + system.layout(true, other);
      }
      return kernel ? ~layout : layout;
    }

    /**
     * Looks up an address.
     *
     * @return whether anything is known to lie there
     */
    public boolean find(long address) {
      found = address;
      image = -1;
      if (isKernel.test(address)) {
        image = idle.at(address);
        if (image < 0) {
          image = system.at(address);
        }
      }
      if (image < 0) {
        image = own.at(address);
      }
      method = compiled.at(address);
      return image >= 0 || method >= 0;
    }

    /** Returns the image that was found; null if none covers the address. */
    public @Nullable ImageFile image() {
      return image < 0 ? null : imagesOfAll.files().get(imageLives.value(image));
    }

    /** Returns the number of the file of the image; -1 if none covers the address. */
    public int imageNumber() {
      return image < 0 ? -1 : imageLives.value(image);
    }

    /** Returns the first address of the image that was found. */
    public long base() {
      return imageLives.base(image);
    }

    /** Returns the RVA of the address in the image that was found. */
    public long rva() {
      return found - imageLives.base(image);
    }

    /**
     * Returns the RVA of the code that is meant.
     *
     * @param isReturn whether a call returns to the address: then a byte of the call is meant,
     *     which may be the last thing in its function
     */
    public long codeRva(boolean isReturn) {
      return isReturn ? Math.max(0, rva() - 1) : rva();
    }

    /** Returns the number of the method's life that covers the address; -1 if none does. */
    public int methodNumber() {
      return method;
    }

    /** Returns the name of the method that was found; null if there is none or it is unknown. */
    public @Nullable String method() {
      return method < 0 || methodLives.value(method) < 0
          ? null
          : methodsOfAll.name(methodLives.value(method));
    }

    /** Returns the path of the module that the method was compiled of; null if unknown. */
    public @Nullable String methodModule() {
      return method < 0 || methodLives.value(method) < 0
          ? null
          : methodsOfAll.module(methodLives.value(method));
    }

    /** Returns the RVA at which the method that was found begins in the image that was found. */
    public long methodRva() {
      return methodLives.base(method) - imageLives.base(image);
    }
  }
}
