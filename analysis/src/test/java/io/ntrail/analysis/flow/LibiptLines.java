package io.ntrail.analysis.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The flow in the words of the cases that libipt is tested with. */
final class LibiptLines implements FlowSink {
  private static final List<String> CONTROL =
      List.of(
          "",
          "interrupt",
          "iret",
          "smi",
          "rsm",
          "sipi",
          "init",
          "vmentry",
          "vmexit",
          "vmexit",
          "shutdown",
          "",
          "uintr",
          "uiret",
          "swintr",
          "syscall");

  /** Lines of a case at most; the longest one has 50,000. */
  private static final int MOST = 100_000;

  private final List<String> lines = new ArrayList<>();

  /** Bits of the code of each line; 0 for those that are no instruction. */
  private final List<Integer> codeSizes = new ArrayList<>();

  private final boolean hasIps;
  private String faultAddress = "";
  private String exitReason = "";
  private String exitQualification = "";
  private long interrupted;

  /**
   * @param hasIps whether events have their addresses
   */
  LibiptLines(boolean hasIps) {
    this.hasIps = hasIps;
  }

  List<String> lines() {
    return lines;
  }

  /** Returns the bits of the code of each line; 0 for those that are no instruction. */
  List<Integer> codeSizes() {
    return codeSizes;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    long address = blocks.start(block);
    for (int i = 0; i < count; i++) {
      if (lines.size() > MOST) {
        throw new IllegalStateException("a flow that does not end");
      }
      lines.add((isSpeculative ? "? " : "") + digits(address));
      codeSizes.add(16 << blocks.codeSize(block).ordinal());
      address += blocks.length(block, i);
    }
  }

  private static String digits(long value) {
    return "%016x".formatted(value);
  }

  private String at(String word, long address) {
    return hasIps && address != 0 ? ", " + word + ": " + digits(address) : "";
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    String ip = at("ip", address);
    switch (event) {
      case ENABLED -> add("enabled");
      case DISABLED -> {
        add("disabled" + (interrupted != 0 ? at("at", interrupted) : at("ip", address)));
        interrupted = 0;
      }
      case INTERRUPTED -> interrupted = address;
      case INTERRUPT -> {
        add("interrupt" + at("from", interrupted) + at("to", address));
        interrupted = 0;
      }
      case OVERFLOW -> add("overflow");
      case TRANSACTION -> add("begin transaction" + ip);
      case COMMIT -> add("committed" + ip);
      case ABORT -> add("aborted" + ip);
      case PTWRITE -> add("ptwrite: " + Long.toHexString(value) + ip);
      case STOPPED -> add("stopped");
      case PAGING -> add("paging, cr3: " + digits(value & ~1) + ((value & 1) != 0 ? ", nr" : ""));
      case VMCS -> add("vmcs, base: " + digits(value));
      case EXSTOP -> add("exstop" + ip);
      case MWAIT -> add("mwait %x %x%s".formatted(value & 0xFFFF_FFFFL, value >>> 32, ip));
      case POWER_ENTRY -> add("pwre c%x.%x".formatted(value + 0x10 >>> 4 & 15, value + 1 & 15));
      case POWER_EXIT ->
          add(
              "pwrx %s: c%x (c%x)"
                  .formatted(
                      (value >>> 8 & 1) != 0 ? "int" : "hw",
                      value + 0x10 >>> 4 & 15,
                      value + 1 & 15));
      case TRIGGER -> add("trig %x%s".formatted(value, ip));
      case FAULT_ADDRESS -> faultAddress = ", cr2: " + digits(value);
      case EXIT_REASON -> exitReason = ", vmxr: " + digits(value);
      case EXIT_QUALIFICATION -> exitQualification = ", vmxq: " + digits(value);
      case UNCERTAIN_RETURN, BLOCK, BLOCK_ITEM, BLOCK_VALUE, BLOCK_END -> {
        // Not told by libipt.
      }
      case CONTROL -> control((int) value & 0xFF, (int) (value >>> 8), ip);
    }
  }

  private void control(int type, int vector, String ip) {
    String vectorText =
        switch (type) {
          case 1, 12, 14 -> " " + vector;
          case 5 -> ": " + Integer.toHexString(vector);
          case 9 -> ", intr: " + vector;
          default -> "";
        };
    add(CONTROL.get(type) + vectorText + faultAddress + exitReason + exitQualification + ip);
    faultAddress = "";
    exitReason = "";
    exitQualification = "";
  }

  private void add(String text) {
    lines.add("[" + text.toLowerCase(Locale.ROOT) + "]");
    codeSizes.add(0);
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    String text =
        switch (error) {
          case NO_CODE -> "no memory mapped at this address";
          case MISMATCH -> "trace stream does not match query";
          case CONTEXT -> "unexpected packet context";
          case STATUS -> "bad status update";
          default -> error.text();
        };
    add(Long.toHexString(address) + ": error: " + text);
  }
}
