package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.formats.etl.RecordCursor;
import org.jspecify.annotations.Nullable;

/** Event of the kernel as one of the {@link KernelProbe probes} that DTrace has for it. */
final class KernelProbeEvent extends EtwEvent {
  private static final int SECTOR = 512;
  private static final int B_READ = 0x40;
  private static final int B_WRITE = 0x100;

  // Reasons of exit, as DTrace has them.
  private static final int CLD_EXITED = 1;
  private static final int CLD_DUMPED = 3;

  /** Least status of an end by an exception. */
  private static final long ERROR_STATUS = 0xC000_0000L;

  private final KernelProbe probe;

  // Fields of the events: a mention each, with the place where it was found last.
  private final FieldReference newThread = new FieldReference("NewThreadId");
  private final FieldReference oldThread = new FieldReference("OldThreadId");
  private final FieldReference newPriority = new FieldReference("NewThreadPriority");
  private final FieldReference thread = new FieldReference("TThreadId");
  private final FieldReference basePriority = new FieldReference("BasePriority");
  private final FieldReference parent = new FieldReference("ParentId");
  private final FieldReference exitStatus = new FieldReference("ExitStatus");
  private final FieldReference size = new FieldReference("TransferSize");
  private final FieldReference irp = new FieldReference("Irp");
  private final FieldReference offset = new FieldReference("ByteOffset");
  private final FieldReference disk = new FieldReference("DiskNumber");
  private final FieldReference file = new FieldReference("FileName");

  KernelProbeEvent(Events.Walk walk, KernelProbe probe) {
    super(walk);
    this.probe = probe;
  }

  private long number(FieldReference field) {
    return ProbeFields.number(event(), field);
  }

  @Override
  public long processId() {
    return switch (probe) {
      case OFF_CPU -> event().processOf((int) number(oldThread));
      case CREATE -> number(parent);
      default -> super.processId();
    };
  }

  @Override
  public long threadId() {
    return switch (probe) {
      case OFF_CPU -> number(oldThread);
      case CREATE -> event().record().threadId();
      default -> super.threadId();
    };
  }

  @Override
  @Nullable ProcessInstance process() {
    return switch (probe) {
      case OFF_CPU, CREATE -> event().processLife((int) processId());
      default -> super.process();
    };
  }

  /** Returns the thread that the arguments are of. */
  private int argumentThread() {
    return (int) number(probe == KernelProbe.OFF_CPU ? newThread : thread);
  }

  /** Returns the process that the arguments are of; null if it is not recorded. */
  private @Nullable ProcessInstance argumentProcess() {
    return probe == KernelProbe.CREATE || probe == KernelProbe.LWP_CREATE
        ? event().processLife()
        : event().processLife(event().processOf(argumentThread()));
  }

  private int argumentProcessId() {
    return probe == KernelProbe.CREATE || probe == KernelProbe.LWP_CREATE
        ? event().processId()
        : event().processOf(argumentThread());
  }

  @Override
  public long argument(int number) {
    if (probe == KernelProbe.EXIT && number <= 1) {
      long status = number(exitStatus) & 0xFFFF_FFFFL;
      return number == 1 ? (int) status : status >= ERROR_STATUS ? CLD_DUMPED : CLD_EXITED;
    }
    return super.argument(number);
  }

  @Override
  public long field(FieldReference field) {
    return switch (field.name()) {
      case "pr_lwpid" -> argumentThread();
      case "pr_pri" ->
          switch (probe) {
            case OFF_CPU -> number(newPriority);
            case LWP_CREATE -> number(basePriority);
            default -> throw new Fault(Fault.Kind.ILLOP, 0);
          };
      case "pr_pid" -> argumentProcessId();
      case "pr_ppid" -> {
        ProcessInstance process = argumentProcess();
        yield process == null ? RecordCursor.NO_ID : process.parent();
      }
      case "b_flags" -> flags();
      // Flushing transfers nothing.
      case "b_bcount", "b_bufsize" -> isFlush() ? 0 : number(size);
      case "b_addr" -> number(irp);
      case "b_blkno", "b_lblkno" -> number(offset) / SECTOR;
      case "dev_minor", "dev_instance" -> number(disk);
      default -> super.field(field);
    };
  }

  private String name() {
    return String.valueOf(event().type().event());
  }

  private boolean isFlush() {
    return name().startsWith("DiskIo/Flush");
  }

  private int flags() {
    String name = name();
    return name.startsWith("DiskIo/Read") ? B_READ : name.startsWith("DiskIo/Write") ? B_WRITE : 0;
  }

  @Override
  public @Nullable String fieldText(FieldReference field) {
    return switch (field.name()) {
      case "pr_fname" -> {
        ProcessInstance process = argumentProcess();
        yield process == null ? UNKNOWN_NAME : process.image();
      }
      case "pr_psargs" -> {
        ProcessInstance process = argumentProcess();
        String line = process == null ? null : process.commandLine();
        if (line == null) {
          throw new Fault(Fault.Kind.ILLOP, 0);
        }
        yield line;
      }
      case "dev_name" -> "disk";
      case "dev_statname" -> "disk" + number(disk);
      case "fi_pathname", "fi_name", "fi_dirname" -> {
        String path = ProbeFields.text(event(), file);
        yield path == null ? UNKNOWN_NAME : pathPart(path, field.name());
      }
      default -> super.fieldText(field);
    };
  }

  private static String pathPart(String path, String part) {
    int end = path.lastIndexOf('\\');
    return switch (part) {
      case "fi_name" -> path.substring(end + 1);
      case "fi_dirname" -> path.substring(0, Math.max(0, end));
      default -> path;
    };
  }

  @Override
  public boolean lacks(FieldReference field) {
    return switch (field.name()) {
      case "pr_pid" -> argumentProcessId() == UNKNOWN;
      case "pr_fname", "pr_ppid" -> argumentProcess() == null;
      case "fi_pathname", "fi_name", "fi_dirname" -> ProbeFields.text(event(), file) == null;
      default -> false;
    };
  }
}
