package io.ntrail.formats.etl;

/**
 * Hook ids of the kernel logger's events that an answer depends on. A hook id is group * 256 +
 * type; a constant is the event class and the event in capitals, as the table of kernel events
 * (kernel.txt) spells them after ntwmi.h and evntrace.h. Which class a group belongs to: {@link
 * KernelEvents}.
 */
public final class KernelEvent {
  /** Groups of hook ids, EVENT_TRACE_GROUP_... of ntwmi.h shifted down by 8 bits. */
  public static final class Group {
    /** Header records and rundowns of sessions. */
    public static final int EVENTTRACE = 0x00;

    /** Transfers of disks. */
    public static final int DISKIO = 0x01;

    /** Page faults and virtual memory. */
    public static final int PAGEFAULT = 0x02;

    /** Processes, and loads of images. */
    public static final int PROCESS = 0x03;

    /** Operations of file systems and names of files. */
    public static final int FILEIO = 0x04;

    /** Threads and context switches. */
    public static final int THREAD = 0x05;

    /** TCP. */
    public static final int TCPIP = 0x06;

    /** UDP. */
    public static final int UDPIP = 0x08;

    /** Configuration of the machine. */
    public static final int SYSTEMCONFIG = 0x0B;

    /** Last branches that a CPU recorded. */
    public static final int LASTBRANCH = 0x0C;

    /** Samples, interrupts, deferred procedure calls, system calls. */
    public static final int PERFINFO = 0x0F;

    /** Images, but for their loads. */
    public static final int IMAGE = 0x14;

    /** Stacks of other events. */
    public static final int STACKWALK = 0x18;

    private Group() {}
  }

  /** Types of lifetime events, in the groups PROCESS, THREAD and IMAGE. */
  public static final class Life {
    /** It starts. */
    public static final int START = 0x01;

    /** It ends. */
    public static final int END = 0x02;

    /** It was there when the recording began. */
    public static final int DC_START = 0x03;

    /** It was there when the recording ended. */
    public static final int DC_END = 0x04;

    /** Its last handle is closed; processes only. */
    public static final int DEFUNCT = 0x27;

    private Life() {}
  }

  // @formatter:off
  public static final int DISKIO_READ = 0x010A;
  public static final int DISKIO_WRITE = 0x010B;
  public static final int DISKIO_READINIT = 0x010C;
  public static final int DISKIO_WRITEINIT = 0x010D;
  public static final int DISKIO_FLUSHBUFFERS = 0x010E;
  public static final int DISKIO_FLUSHINIT = 0x010F;
  public static final int DISKIO_OPTICALREAD = 0x0137;
  public static final int DISKIO_OPTICALWRITE = 0x0138;
  public static final int DISKIO_OPTICALFLUSHBUFFERS = 0x0139;
  public static final int DISKIO_OPTICALREADINIT = 0x013A;
  public static final int DISKIO_OPTICALWRITEINIT = 0x013B;
  public static final int DISKIO_OPTICALFLUSHINIT = 0x013C;

  public static final int PAGEFAULT_TRANSITIONFAULT = 0x020A;
  public static final int PAGEFAULT_DEMANDZEROFAULT = 0x020B;
  public static final int PAGEFAULT_COPYONWRITE = 0x020C;
  public static final int PAGEFAULT_GUARDPAGEFAULT = 0x020D;
  public static final int PAGEFAULT_HARDPAGEFAULT = 0x020E;
  public static final int PAGEFAULT_ACCESSVIOLATION = 0x020F;
  public static final int PAGEFAULT_HARDFAULT = 0x0220;
  public static final int PAGEFAULT_VIRTUALALLOC = 0x0262;

  /** Announced under the group of processes; its class is Image. */
  public static final int IMAGE_LOAD = 0x030A;

  public static final int FILEIO_NAME = 0x0400;
  public static final int FILEIO_FILECREATE = 0x0420;
  public static final int FILEIO_FILEDELETE = 0x0423;
  public static final int FILEIO_FILERUNDOWN = 0x0424;
  public static final int FILEIO_MAPFILEDCSTART = 0x0427;
  public static final int FILEIO_MAPFILEDCEND = 0x0428;
  public static final int FILEIO_CREATE = 0x0440;
  public static final int FILEIO_CLEANUP = 0x0441;
  public static final int FILEIO_CLOSE = 0x0442;
  public static final int FILEIO_READ = 0x0443;
  public static final int FILEIO_WRITE = 0x0444;
  public static final int FILEIO_SETINFO = 0x0445;
  public static final int FILEIO_DELETE = 0x0446;
  public static final int FILEIO_RENAME = 0x0447;
  public static final int FILEIO_DIRENUM = 0x0448;
  public static final int FILEIO_FLUSH = 0x0449;
  public static final int FILEIO_QUERYINFO = 0x044A;
  public static final int FILEIO_FSCONTROL = 0x044B;
  public static final int FILEIO_OPERATIONEND = 0x044C;
  public static final int FILEIO_DIRNOTIFY = 0x044D;
  public static final int FILEIO_DLETEPATH = 0x044F;
  public static final int FILEIO_RENAMEPATH = 0x0450;
  public static final int FILEIO_SETLINKPATH = 0x0451;

  public static final int THREAD_START = 0x0501;
  public static final int THREAD_END = 0x0502;
  public static final int THREAD_CSWITCH = 0x0524;
  public static final int THREAD_READYTHREAD = 0x0532;
  public static final int THREAD_SETNAME = 0x0548;

  public static final int SYSTEMCONFIG_CPU = 0x0B0A;

  public static final int POOL_POOLALLOCATION = 0x0E20;
  public static final int POOL_SESSIONPOOLALLOCATION = 0x0E21;

  public static final int PERFINFO_SAMPLEPROF = 0x0F2E;
  public static final int PERFINFO_PMCCOUNTERPROF = 0x0F2F;
  public static final int PERFINFO_SAMPLEDPROFILECACHE = 0x0F37;
  public static final int PERFINFO_SAMPLEDPROFILENMI = 0x0F47;
  public static final int PERFINFO_SETINTERVAL = 0x0F48;
  public static final int PERFINFO_COLLECTIONSTART = 0x0F49;
  public static final int PERFINFO_COLLECTIONEND = 0x0F4A;

  public static final int HEAP_HEAPALLOC = 0x1021;
  public static final int HEAP_HEAPREALLOC = 0x1022;

  public static final int STACKWALK_STACK = 0x1820;
  public static final int STACKWALK_KEYCREATE = 0x1822;
  public static final int STACKWALK_KEYRUNDOWN = 0x1824;
  public static final int STACKWALK_STACKKEYKERNEL = 0x1825;
  public static final int STACKWALK_STACKKEYUSER = 0x1826;
  // @formatter:on

  private KernelEvent() {}

  /** Returns the group of a hook id; negative ids have none of {@link Group}. */
  public static int group(int hookId) {
    return hookId >>> 8;
  }

  /** Returns the type of a hook id: the opcode of its class event. */
  public static int type(int hookId) {
    return hookId & 0xFF;
  }

  /** Returns true if an event is the start of a disk request: DiskIo/ReadInit and the like. */
  public static boolean isDiskRequest(int hookId) {
    return switch (hookId) {
      case DISKIO_READINIT,
          DISKIO_WRITEINIT,
          DISKIO_FLUSHINIT,
          DISKIO_OPTICALREADINIT,
          DISKIO_OPTICALWRITEINIT,
          DISKIO_OPTICALFLUSHINIT ->
          true;
      default -> false;
    };
  }

  /** Returns a hook id. */
  public static int hookId(int group, int type) {
    return group << 8 | type & 0xFF;
  }
}
