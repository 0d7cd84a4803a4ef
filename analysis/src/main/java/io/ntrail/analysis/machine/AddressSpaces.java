package io.ntrail.analysis.machine;

import io.ntrail.analysis.recording.Recording;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What lies at an address of a process at a time: an image, a method that was compiled while the
 * program ran, or nothing that is known. Follows a walk in time order; going back is possible, but
 * slow. One thread at a time.
 */
public final class AddressSpaces {
  private static final int IDLE = 0;
  private static final int SYSTEM = 4;

  private final Machine machine;
  private final AddressLives imageLives;
  private final AddressLives methodLives;
  private final AddressLives.Walk images;
  private final AddressLives.Walk methods;
  private final boolean narrow;
  private final Map<Integer, Space> spaces = new HashMap<>();

  /** The machine must have been asked to learn of addresses. */
  public AddressSpaces(Machine machine, Recording recording) {
    this.machine = machine;
    this.imageLives = machine.images().lives();
    this.methodLives = machine.methods().lives();
    this.images = imageLives.new Walk();
    this.methods = methodLives.new Walk();
    this.narrow =
        recording.files().getFirst().header().map(LogFileHeader::pointerBytes).orElse(8) == 4;
  }

  /** Whether an address is the kernel's: the upper half of what the machine's pointers can say. */
  public boolean isKernel(long address) {
    return address < 0 || narrow && address >= 0x8000_0000L;
  }

  /** The address space of a process; the kernel's addresses are in each. */
  public Space space(int process) {
    return spaces.computeIfAbsent(process, Space::new);
  }

  /** One process, as it is at a time. */
  public final class Space {
    private final AddressLives.Space own;
    private final AddressLives.Space idle;
    private final AddressLives.Space system;
    private final AddressLives.Space compiled;
    private int image = -1;
    private int method = -1;
    private long found;
    private boolean inKernel;

    private Space(int process) {
      own = images.space(process);
      idle = images.space(IDLE);
      system = images.space(SYSTEM);
      compiled = methods.space(process);
    }

    /** Goes to a time ({@link Recording#key}). */
    public void moveTo(long key) {
      own.moveTo(key);
      idle.moveTo(key);
      system.moveTo(key);
      compiled.moveTo(key);
    }

    /** Another number than before if anything came or went in the kernel's half. */
    public int kernelChanges() {
      return idle.changes() + system.changes();
    }

    /** Another number than before if anything came or went in the process itself. */
    public int changes() {
      return own.changes() + compiled.changes();
    }

    /**
     * Looks up an address.
     *
     * @return whether anything is known to lie there
     */
    public boolean find(long address) {
      found = address;
      image = -1;
      if (isKernel(address)) {
        image = idle.at(address);
        if (image < 0) {
          image = system.at(address);
        }
      }
      inKernel = image >= 0;
      if (image < 0) {
        image = own.at(address);
      }
      method = compiled.at(address);
      return image >= 0 || method >= 0;
    }

    /** Whether it is an image of the kernel that was found: the same in all processes. */
    public boolean kernelFound() {
      return inKernel;
    }

    /** The image that was found; null if none covers the address. */
    public @Nullable ImageFile image() {
      return image < 0 ? null : machine.images().files().get(imageLives.value(image));
    }

    /** Number of the file of the image; -1 if none covers the address. */
    public int imageNumber() {
      return image < 0 ? -1 : imageLives.value(image);
    }

    /** Place of the address in the image that was found. */
    public long rva() {
      return found - imageLives.base(image);
    }

    /** Which of the method lives covers the address; -1 if none does. */
    public int methodNumber() {
      return method;
    }

    /** The name of the method that was found; null if there is none, or nobody tells it. */
    public @Nullable String method() {
      return method < 0 || methodLives.value(method) < 0
          ? null
          : machine.methods().name(methodLives.value(method));
    }

    /** Where the method that was found begins in the image that was found. */
    public long methodRva() {
      return methodLives.base(method) - imageLives.base(image);
    }
  }
}
