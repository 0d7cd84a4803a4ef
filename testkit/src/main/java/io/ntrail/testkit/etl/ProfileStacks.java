package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.List;

/**
 * The images and the stacks of a {@link BigProfile}. A stack is a leaf of a tree of callers; which
 * frames it has follows from its number alone, by arithmetic.
 *
 * <p>Numbers 0 to {@link #kernelStacks} - 1 are stacks of the kernel, then comes an equal share for
 * each program. Within a share a number's leading bits choose the outer frames: stacks that differ
 * in the last bit only differ in their last frames only.
 */
final class ProfileStacks {
  static final int MOST_FRAMES = 40;
  static final int IDLE = 0;
  static final int SYSTEM = 1;

  /** Process names: Idle and System, then the programs. */
  static final List<String> NAMES =
      List.of(
          "Idle",
          "System",
          "shopd.exe",
          "stockd.exe",
          "MsMpEng.exe",
          "svchost.exe",
          "compile.exe",
          "linker.exe",
          "search.exe",
          "browser.exe",
          "painter.exe",
          "backup.exe");

  private static final int FIRST_PROGRAM = 2;
  private static final int PROGRAMS = NAMES.size() - FIRST_PROGRAM;
  private static final String SYSTEM_FOLDER = "\\Device\\HarddiskVolume3\\Windows\\System32\\";
  private static final List<String> KERNEL =
      List.of(
          "ntoskrnl.exe",
          "hal.dll",
          "Ntfs.sys",
          "fltmgr.sys",
          "tcpip.sys",
          "ndis.sys",
          "storport.sys",
          "stornvme.sys",
          "win32kfull.sys",
          "win32kbase.sys",
          "dxgkrnl.sys",
          "afd.sys",
          "netio.sys",
          "CI.dll",
          "ksecdd.sys",
          "volsnap.sys");
  private static final List<String> COMMON =
      List.of("ntdll.dll", "kernel32.dll", "KernelBase.dll", "ucrtbase.dll");
  private static final List<String> OWN = List.of("core.dll", "net.dll", "io.dll");

  /** Images of a process of a program: its own exe and DLLs, then the common ones. */
  static final int IMAGES_OF_PROGRAM = 1 + OWN.size() + COMMON.size();

  /** All modules; one more number stands for addresses in none. */
  static final int MODULES =
      KERNEL.size() + COMMON.size() + PROGRAMS * (IMAGES_OF_PROGRAM - COMMON.size());

  static final int UNKNOWN = MODULES;

  private static final int FUNCTIONS = 64;
  private static final int[] SHIFTS = {18, 15, 12, 9, 6, 3, 1, 0};
  private static final int LEAF = SHIFTS.length - 1;

  /** Shares of calls by image: the images of a program, then those of the kernel. */
  private static final int[] PROGRAM_SHARES = {6, 8, 4, 2, 3, 1, 3, 5};

  private static final int[] KERNEL_SHARES = {9, 1, 4, 2, 3, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1};

  /**
   * An image.
   *
   * @param module its number
   */
  record Image(int module, String path, long base, long size, int stride) {
    String name() {
      return path.substring(path.lastIndexOf('\\') + 1);
    }

    LittleEndian payload(int pid) {
      int stamp = 0x5E1C_7A00 + module;
      return KernelPayloads.image(base, size, pid, stamp ^ 0x5555, stamp, path);
    }

    private long function(int function) {
      return base + 0x1000 + (long) function * stride;
    }
  }

  private final List<Image> kernelImages;
  private final List<List<Image>> programImages;
  private final Image[][] picks = new Image[1 + PROGRAMS][];
  private final int kernelStacks;
  private final int share;

  private final long[] outermostFirst = new long[MOST_FRAMES];
  private int count;
  private long modules;
  private Image innermostImage;

  /**
   * The stacks of a recording.
   *
   * @param total how many there are, at least 100
   */
  ProfileStacks(int total) {
    if (total < 100 || total > 1 << 30) {
      throw new IllegalArgumentException("stacks: " + total);
    }
    share = (total - total / 8) / PROGRAMS;
    kernelStacks = total - share * PROGRAMS;
    Image[] kernel = new Image[KERNEL.size()];
    for (int i = 0; i < kernel.length; i++) {
      String folder = "\\SystemRoot\\System32\\" + (i < 2 ? "" : "drivers\\");
      kernel[i] = image(i, folder + KERNEL.get(i), 0xFFFF_F803_1200_0000L + i * 0x100_0000L);
    }
    kernelImages = List.of(kernel);
    innermostImage = kernel[0];
    picks[0] = shares(kernelImages, KERNEL_SHARES);
    Image[][] programs = new Image[PROGRAMS][IMAGES_OF_PROGRAM];
    int own = 1 + OWN.size();
    for (int p = 0; p < PROGRAMS; p++) {
      String exe = NAMES.get(FIRST_PROGRAM + p);
      String folder = "\\Device\\HarddiskVolume3\\Program Files\\lab\\";
      int first = KERNEL.size() + COMMON.size() + p * own;
      // Programs share addresses for what is their own: only the process distinguishes the images.
      programs[p][0] = image(first, folder + exe, 0x7FF6_5000_0000L + p % 3 * 0x1000_0000L);
      for (int i = 1; i < own; i++) {
        String path = folder + exe.substring(0, exe.length() - 4) + OWN.get(i - 1);
        programs[p][i] = image(first + i, path, 0x7FFA_1000_0000L + i * 0x100_0000L);
      }
      for (int i = 0; i < COMMON.size(); i++) {
        String path = SYSTEM_FOLDER + COMMON.get(i);
        programs[p][own + i] = image(KERNEL.size() + i, path, 0x7FFB_3000_0000L + i * 0x100_0000L);
      }
      picks[1 + p] = shares(List.of(programs[p]), PROGRAM_SHARES);
    }
    programImages = Arrays.stream(programs).map(List::of).toList();
  }

  private static Image image(int module, String path, long base) {
    int stride = 0x300 + 0x100 * (module % 7);
    long size = (0x1000 + (long) FUNCTIONS * stride + 0x1FFF) & ~0xFFFL;
    return new Image(module, path, base, size, stride);
  }

  private static Image[] shares(List<Image> images, int... shares) {
    Image[] out = new Image[32];
    int at = 0;
    for (int i = 0; i < shares.length; i++) {
      Arrays.fill(out, at, at + shares[i], images.get(i));
      at += shares[i];
    }
    return out;
  }

  List<Image> kernelImages() {
    return kernelImages;
  }

  /** The images of a process, by the number of its name; those of Idle are the kernel's. */
  List<Image> imagesOf(int name) {
    return switch (name) {
      case IDLE -> kernelImages;
      case SYSTEM -> List.of();
      default -> programImages.get(name - FIRST_PROGRAM);
    };
  }

  /** Names of the modules by number, the last one for addresses in none. */
  static String[] moduleNames() {
    String[] names = new String[MODULES + 1];
    ProfileStacks any = new ProfileStacks(100);
    any.kernelImages.forEach(image -> names[image.module] = image.name());
    any.programImages.forEach(
        images -> images.forEach(image -> names[image.module] = image.name()));
    names[UNKNOWN] = "(unknown)";
    return names;
  }

  int total() {
    return kernelStacks + share * PROGRAMS;
  }

  int kernelStacks() {
    return kernelStacks;
  }

  /** A program for a new process, the first ones more often. */
  static int pickProgram(XorShift64 dice) {
    return FIRST_PROGRAM + Math.min(dice.below(PROGRAMS), dice.below(PROGRAMS));
  }

  /** A stack of the kernel. */
  int pickKernel(long random) {
    return pick(random, kernelStacks);
  }

  /** A stack of a program, by the number of its name. */
  int pickUser(long random, int name) {
    return kernelStacks + (name - FIRST_PROGRAM) * share + pick(random, share);
  }

  /** Half of all picks are of any stack, the other half mostly of few. */
  private static int pick(long random, int of) {
    long r = random >>> 33;
    if ((random & 1) != 0) {
      r = r * r >>> 31;
      r = r * r >>> 31;
    }
    return (int) (r * of >>> 31);
  }

  /** The key that names a stack: another one for each. */
  static long key(int stack) {
    return 0xFFFF_C500_0000_0000L | (stack * 0x9E37_79B1L & 0xFFFF_FFFFL) << 4;
  }

  /** Works out a stack, for the other methods to return. */
  void derive(int stack) {
    boolean kernel = stack < kernelStacks;
    int space = kernel ? 0 : 1 + (stack - kernelStacks) / share;
    int local = kernel ? stack : (stack - kernelStacks) % share;
    int locals = kernel ? kernelStacks : share;
    Image[] pick = picks[space];
    count = 0;
    modules = 0;
    if (kernel) {
      frame(kernelImages.getFirst(), 1, 0x15);
      frame(kernelImages.getFirst(), 2, 0x3C);
    } else {
      List<Image> images = programImages.get(space - 1);
      frame(images.get(1 + OWN.size()), 1, 0x21);
      frame(images.get(2 + OWN.size()), 1, 0x1D);
    }
    long outer = XorShift64.mix(space);
    for (int level = 0; level <= LEAF; level++) {
      int prefix = local >>> SHIFTS[level];
      int child = level == 0 ? prefix : prefix & (1 << SHIFTS[level - 1] - SHIFTS[level]) - 1;
      long hash = XorShift64.mix((long) (space * 8 + level) << 32 | prefix);
      int length;
      if (level == LEAF) {
        // Now and then the caller itself was sampled, whose other callee is another stack.
        boolean caller = (local & 15) == 0 && local + 1 < locals;
        length = caller ? 0 : 2 + (int) ((hash >>> 48 & 0xFF) * 3 >>> 8);
      } else if (level == 0) {
        length = 2 + (int) ((hash >>> 48 & 0xFF) * 3 >>> 8);
      } else {
        length = 1 + (int) ((hash >>> 48 & 0xFF) * 5 >>> 8);
      }
      Image image = pick[(int) (hash >>> 59)];
      for (int i = 0; i < length; i++) {
        if (i == 0) {
          // Callees of one caller differ in function or offset, so that no two stacks are equal.
          frame(image, (int) (outer >>> 20) + 7 * child, 0x10 + 8 * (child >>> 6 & 0x1F));
        } else {
          frame(image, (int) (hash >>> 6 * i), 0x08 + 0x20 * (int) (hash >>> 36 + 2 * i & 3));
        }
      }
      outer = hash;
    }
  }

  private void frame(Image image, int function, int offset) {
    outermostFirst[count++] = image.function(function & FUNCTIONS - 1) + offset;
    modules |= 1L << image.module;
    innermostImage = image;
  }

  /** Number of frames, 10 to 40. */
  int frames() {
    return count;
  }

  /** A frame; 0 is the innermost. */
  long frame(int index) {
    return outermostFirst[count - 1 - index];
  }

  /** A bit for each module that has a frame. */
  long modules() {
    return modules;
  }

  /** The module of the innermost frame. */
  int innermostModule() {
    return innermostImage.module;
  }
}
