package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * One record of the dynamic value relocation table: a place in the image that the loader of the
 * system may change, depending on the machine that it runs on, and what it needs to know to do so.
 *
 * <p>Source: the IMAGE_DYNAMIC_RELOCATION structures of the header ntimage.h; for the decision
 * diagram of function overrides the reader of System Informer (phlib).
 */
public sealed interface DynamicFixup {
  /** Returns the RVA of the place. */
  long rva();

  /**
   * A prologue that return flow guard would have put its check into.
   *
   * @param prologue the instructions that are replaced
   */
  record ReturnGuardPrologue(long rva, Bytes prologue) implements DynamicFixup {}

  /**
   * The epilogues of a page that return flow guard would have put its check into.
   *
   * @param rva of the page
   * @param epilogues how many
   * @param epilogueBytes bytes of each
   * @param descriptors for each kind of branch, {@code descriptorBytes} bytes each
   * @param bitmap which of them, one bit a descriptor
   */
  record ReturnGuardEpilogue(
      long rva,
      long epilogues,
      int epilogueBytes,
      int descriptorBytes,
      Bytes descriptors,
      Bytes bitmap)
      implements DynamicFixup {}

  /**
   * A call or a jump through the import address table, which a kernel that optimizes imports
   * replaces: of the twelve bytes {@code 48 FF 15 rel32} and a five-byte no-op become {@code 4C 8B
   * 15 rel32}, which loads the same slot, and a direct {@code E8 rel32}; for a jump {@code E9}.
   *
   * @param call a call, else a jump
   * @param index of the pointer in the import address table, counted from the start of directory
   *     12; -1: none
   */
  record ImportTransfer(long rva, boolean call, int index) implements DynamicFixup {}

  /**
   * A call or a jump through a register or through the dispatcher of control flow guard, which a
   * kernel with retpolines replaces by a thunk.
   *
   * @param call a call, else a jump
   * @param rexW whether the instruction has the prefix REX.W, that is, one byte more
   * @param checked whether it goes through the dispatcher of control flow guard
   */
  record IndirectTransfer(long rva, boolean call, boolean rexW, boolean checked)
      implements DynamicFixup {}

  /**
   * A jump through a register that a table of a switch was loaded to.
   *
   * @param register its number, rax is 0
   */
  record SwitchBranch(long rva, int register) implements DynamicFixup {}

  /** Content, for the other architecture, of a place in an image that is both ARM64 and ARM64EC. */
  sealed interface Arm64x extends DynamicFixup {
    /** Bytes of the place. */
    int size();
  }

  /** Zeros. */
  record Arm64xZero(long rva, int size) implements Arm64x {}

  /** A number. */
  record Arm64xValue(long rva, int size, long value) implements Arm64x {}

  /** The number that is there, and this much more. */
  record Arm64xDelta(long rva, int size, long delta) implements Arm64x {}

  /**
   * A function of which the image has several versions, for processors with and without certain
   * features.
   *
   * @param rva of the version that is called unless another one is chosen
   * @param versions RVAs of the other ones
   * @param places what calls it or points to it, and is changed when another one is chosen
   * @param diagram how one is chosen, from its first node on; empty if there is none
   */
  record FunctionOverride(long rva, List<Long> versions, List<Place> places, List<Node> diagram)
      implements DynamicFixup {
    /**
     * A reference to a function.
     *
     * @param type 1: a 32-bit displacement of x64, 2: a 26-bit branch of ARM64, 3: an ARM64 thunk
     */
    public record Place(long rva, int type) {}

    /**
     * A node of the diagram: a test of a processor feature, or an answer.
     *
     * @param absent the next node if the feature is absent
     * @param present the next node if it is present
     * @param value the number of the feature; in an answer the index of the version
     */
    public record Node(int absent, int present, long value) {}

    /**
     * The version that is chosen for a processor; empty where the diagram is damaged.
     *
     * @param features whether the processor has the feature of a number
     */
    public Optional<Long> chosen(LongPredicate features) {
      int at = 0;
      // A path meets every node at most once, unless it goes in a circle.
      for (int steps = 0; steps <= diagram.size() && at < diagram.size(); steps++) {
        Node node = diagram.get(at);
        if (node.absent == 0 && node.present == 0) {
          return Optional.of(rva);
        }
        if (node.absent == at && node.present == at) {
          return node.value < versions.size()
              ? Optional.of(versions.get((int) node.value))
              : Optional.empty();
        }
        at = features.test(node.value) ? node.present : node.absent;
      }
      return diagram.isEmpty() ? Optional.of(rva) : Optional.empty();
    }
  }

  /**
   * A call or jump of an ARM64 kernel image through an imported address.
   *
   * @param call BLR, else BR
   * @param register that the address is loaded to
   * @param delayed whether the import is a delayed one
   * @param index of the slot in the import address table; -1: none
   */
  record Arm64ImportTransfer(long rva, boolean call, int register, boolean delayed, int index)
      implements DynamicFixup {}

  /**
   * A place that holds a fixed address of the system, such as that of the shared user data, which
   * is changed when the system has it elsewhere.
   *
   * @param type as in {@link Relocations}
   * @param low the low half of a HIGHADJ, signed; else 0
   */
  record AddressUse(long rva, int type, int low) implements DynamicFixup {}
}
