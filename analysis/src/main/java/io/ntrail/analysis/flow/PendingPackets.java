package io.ntrail.analysis.flow;

/** Packets that wait for the one that they belong to. */
final class PendingPackets {
  /** Packet that the next FUP belongs to. */
  enum Binding {
    NONE,
    TRANSACTION,
    PTWRITE,
    OTHER
  }

  /** True while a FUP waits for a TIP or TIP.PGD. */
  boolean hasFup;

  /** Address of the FUP. */
  long fup;

  /** True if a MODE.Exec came right before the FUP, which may belong to it. */
  boolean isFupOfMode;

  Binding binding = Binding.NONE;

  /** Size of the code at the next target; -1: unchanged. */
  int newCodeSize = -1;

  boolean willBeSpeculative;
  boolean isAborted;

  /** Operand of a PTWRITE. */
  long operand;

  /** Keeps the address of a FUP. */
  void await(long address) {
    hasFup = true;
    fup = address;
    isFupOfMode = newCodeSize >= 0;
  }

  /** Changes the size of the code, if a packet told another one. */
  void applyMode(CodeWalk walk) {
    if (newCodeSize >= 0) {
      walk.setCodeSize(newCodeSize);
      newCodeSize = -1;
    }
  }

  void forget() {
    hasFup = false;
    isFupOfMode = false;
    binding = Binding.NONE;
    newCodeSize = -1;
    isAborted = false;
  }
}
