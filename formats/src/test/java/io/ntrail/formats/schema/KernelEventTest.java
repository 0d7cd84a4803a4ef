package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskFlush;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskInit;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskTransfer;
import io.ntrail.formats.etl.KernelFieldOffsets.FileOperation;
import io.ntrail.formats.etl.KernelFieldOffsets.HardFault;
import io.ntrail.formats.etl.KernelFieldOffsets.Heap;
import io.ntrail.formats.etl.KernelFieldOffsets.Pool;
import io.ntrail.formats.etl.KernelFieldOffsets.ReadyThread;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.KernelFieldOffsets.SampleInterval;
import io.ntrail.formats.etl.KernelFieldOffsets.SoftFault;
import io.ntrail.formats.etl.KernelFieldOffsets.Stack;
import io.ntrail.formats.etl.KernelFieldOffsets.ThreadLife;
import io.ntrail.formats.etl.KernelFieldOffsets.VirtualAlloc;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The names and places that code relies on are those of the table of kernel events. */
class KernelEventTest {
  private static final int LONGEST = 200;
  private static final int LAST_VERSION = 5;

  private final KernelEvents classes = new KernelEvents();
  private final SchemaTable table = SchemaTable.kernel();

  /** Place of a field by version and width of pointers. */
  private interface Place {
    int of(int version, int pointerBytes);
  }

  private static List<Field> hookIds() {
    List<Field> fields = new ArrayList<>();
    for (Field field : KernelEvent.class.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers()) && field.getType() == int.class) {
        fields.add(field);
      }
    }
    return fields;
  }

  @Test
  void everyConstantIsTheClassAndTheEventInCapitals() throws IllegalAccessException {
    assertTrue(hookIds().size() > 50, "constants");
    for (Field field : hookIds()) {
      int hook = field.getInt(null);
      String event = null;
      for (int version = 0; version <= LAST_VERSION && event == null; version++) {
        event = table.event(classes.classGuid(hook), hook, version);
      }
      assertEquals(
          String.valueOf(event).replace('/', '_').toUpperCase(Locale.ROOT),
          field.getName(),
          Integer.toHexString(hook));
    }
  }

  @Test
  void everyGroupIsTheClassInCapitals() throws IllegalAccessException {
    for (Field field : KernelEvent.Group.class.getDeclaredFields()) {
      int group = field.getInt(null);
      assertEquals(classes.task(group << 8).toUpperCase(Locale.ROOT), field.getName());
    }
  }

  @Test
  void noHookIdHasTwoNames() throws IllegalAccessException {
    TreeSet<Integer> seen = new TreeSet<>();
    for (Field field : hookIds()) {
      assertTrue(seen.add(field.getInt(null)), field.getName());
    }
  }

  /** Compares a place with the table's in every version that has the field. */
  private void agrees(String name, Place place, int... hooks) {
    for (int hook : hooks) {
      int found = 0;
      for (int version = 0; version <= LAST_VERSION; version++) {
        Schema schema = table.schema(classes.classGuid(hook), hook, version);
        for (int pointer = 4; schema != null && pointer <= 8; pointer += 4) {
          Payload payload = new Payload();
          payload.read(schema, Bytes.copyOf(new byte[LONGEST], "zeros"), 0, LONGEST, pointer);
          int token = payload.find(name);
          if (token >= 0) {
            found++;
            assertEquals(
                payload.offset(token),
                place.of(version, pointer),
                "%04X %s, version %d, pointers of %d".formatted(hook, name, version, pointer));
          }
        }
      }
      assertTrue(found >= 2, "%04X has no %s".formatted(hook, name));
    }
  }

  private void agrees(String name, int place, int... hooks) {
    agrees(name, (_, _) -> place, hooks);
  }

  @Test
  void placesOfThreads() {
    agrees("NewThreadId", CSwitch.NEW_THREAD_ID, KernelEvent.THREAD_CSWITCH);
    agrees("OldThreadId", CSwitch.OLD_THREAD_ID, KernelEvent.THREAD_CSWITCH);
    agrees("OldThreadState", CSwitch.OLD_THREAD_STATE, KernelEvent.THREAD_CSWITCH);
    agrees("TThreadId", ReadyThread.THREAD_ID, KernelEvent.THREAD_READYTHREAD);
    agrees(
        "TThreadId",
        (version, _) -> ThreadLife.threadId(version),
        KernelEvent.THREAD_START,
        KernelEvent.THREAD_END);
  }

  @Test
  void placesOfSampleIntervals() {
    int[] hooks = {
      KernelEvent.PERFINFO_SETINTERVAL,
      KernelEvent.PERFINFO_COLLECTIONSTART,
      KernelEvent.PERFINFO_COLLECTIONEND
    };
    agrees("Source", SampleInterval.SOURCE, hooks);
    agrees("NewInterval", SampleInterval.NEW_INTERVAL, hooks);
    agrees("SourceName", SampleInterval.SOURCE_NAME, hooks[1], hooks[2]);
  }

  @Test
  void placesOfSamples() {
    agrees("InstructionPointer", Sample.INSTRUCTION_POINTER, KernelEvent.PERFINFO_SAMPLEPROF);
    agrees(
        "ThreadId",
        (_, pointer) -> Sample.threadId(pointer),
        KernelEvent.PERFINFO_SAMPLEPROF,
        KernelEvent.PERFINFO_PMCCOUNTERPROF,
        KernelEvent.PERFINFO_SAMPLEDPROFILENMI);
    agrees("Count", (_, pointer) -> Sample.count(pointer), KernelEvent.PERFINFO_SAMPLEPROF);
    agrees(
        "ProfileSource",
        (_, pointer) -> Sample.profileSource(pointer),
        KernelEvent.PERFINFO_PMCCOUNTERPROF);
    agrees("Flags", (_, pointer) -> Sample.flags(pointer), KernelEvent.PERFINFO_SAMPLEPROF);
  }

  @Test
  void placesOfSamplesInACacheOfThem() {
    Schema schema =
        table.schema(
            classes.classGuid(KernelEvent.PERFINFO_SAMPLEDPROFILECACHE),
            KernelEvent.PERFINFO_SAMPLEDPROFILECACHE,
            2);
    assertNotNull(schema);
    for (int pointer = 4; pointer <= 8; pointer += 4) {
      byte[] bytes = new byte[LONGEST];
      bytes[0] = 2;
      Payload payload = new Payload();
      payload.read(schema, Bytes.copyOf(bytes, "two samples"), 0, LONGEST, pointer);
      List<Integer> threads = new ArrayList<>();
      for (int i = 0; i < payload.size(); i++) {
        if (payload.token(i) == Payload.Token.VALUE && payload.field(i).name().equals("ThreadId")) {
          threads.add(payload.offset(i));
        }
      }
      int first = Sample.firstEntry(pointer) + Sample.threadId(pointer);
      assertEquals(List.of(first, first + Sample.entryBytes(pointer)), threads);
    }
  }

  @Test
  void placesOfMemoryEvents() {
    agrees(
        "ProgramCounter",
        (_, pointer) -> SoftFault.programCounter(pointer),
        KernelEvent.PAGEFAULT_TRANSITIONFAULT,
        KernelEvent.PAGEFAULT_DEMANDZEROFAULT,
        KernelEvent.PAGEFAULT_COPYONWRITE,
        KernelEvent.PAGEFAULT_GUARDPAGEFAULT,
        KernelEvent.PAGEFAULT_HARDPAGEFAULT,
        KernelEvent.PAGEFAULT_ACCESSVIOLATION);
    agrees(
        "TThreadId", (_, pointer) -> HardFault.threadId(pointer), KernelEvent.PAGEFAULT_HARDFAULT);
    agrees(
        "ByteCount", (_, pointer) -> HardFault.byteCount(pointer), KernelEvent.PAGEFAULT_HARDFAULT);
    agrees(
        "RegionSize",
        (_, pointer) -> VirtualAlloc.regionSize(pointer),
        KernelEvent.PAGEFAULT_VIRTUALALLOC);
    agrees(
        "ProcessId",
        (_, pointer) -> VirtualAlloc.processId(pointer),
        KernelEvent.PAGEFAULT_VIRTUALALLOC);
    agrees(
        "Flags", (_, pointer) -> VirtualAlloc.flags(pointer), KernelEvent.PAGEFAULT_VIRTUALALLOC);
    agrees("Size", (_, pointer) -> Heap.size(pointer), KernelEvent.HEAP_HEAPALLOC);
    agrees("NewSize", (_, pointer) -> Heap.newSize(pointer), KernelEvent.HEAP_HEAPREALLOC);
    agrees(
        "NumberOfBytes",
        Pool.NUMBER_OF_BYTES,
        KernelEvent.POOL_POOLALLOCATION,
        KernelEvent.POOL_SESSIONPOOLALLOCATION);
  }

  @Test
  void placesOfTransfersOfDisks() {
    int[] begins = {
      KernelEvent.DISKIO_READINIT,
      KernelEvent.DISKIO_WRITEINIT,
      KernelEvent.DISKIO_FLUSHINIT,
      KernelEvent.DISKIO_OPTICALREADINIT,
      KernelEvent.DISKIO_OPTICALWRITEINIT,
      KernelEvent.DISKIO_OPTICALFLUSHINIT
    };
    agrees("Irp", DiskInit.IRP, begins);
    agrees("IssuingThreadId", (_, pointer) -> DiskInit.threadId(pointer), begins);
    int[] transfers = {
      KernelEvent.DISKIO_READ,
      KernelEvent.DISKIO_WRITE,
      KernelEvent.DISKIO_OPTICALREAD,
      KernelEvent.DISKIO_OPTICALWRITE
    };
    agrees("TransferSize", DiskTransfer.TRANSFER_SIZE, transfers);
    agrees("Irp", (_, pointer) -> DiskTransfer.irp(pointer), transfers);
    agrees("HighResResponseTime", DiskTransfer::responseTime, transfers);
    agrees("IssuingThreadId", DiskTransfer::threadId, transfers);
    int[] flushes = {KernelEvent.DISKIO_FLUSHBUFFERS, KernelEvent.DISKIO_OPTICALFLUSHBUFFERS};
    agrees("HighResResponseTime", DiskFlush.RESPONSE_TIME, flushes);
    agrees("Irp", DiskFlush.IRP, flushes);
    agrees("IssuingThreadId", (_, pointer) -> DiskFlush.threadId(pointer), flushes);
  }

  @Test
  void placesOfFileOperations() {
    operation(FileOperation.CREATE, KernelEvent.FILEIO_CREATE);
    operation(FileOperation.TRANSFER, KernelEvent.FILEIO_READ, KernelEvent.FILEIO_WRITE);
    operation(
        FileOperation.SIMPLE,
        KernelEvent.FILEIO_CLEANUP,
        KernelEvent.FILEIO_CLOSE,
        KernelEvent.FILEIO_FLUSH,
        KernelEvent.FILEIO_DIRENUM,
        KernelEvent.FILEIO_DIRNOTIFY);
    operation(
        FileOperation.INFORMATION,
        KernelEvent.FILEIO_SETINFO,
        KernelEvent.FILEIO_DELETE,
        KernelEvent.FILEIO_RENAME,
        KernelEvent.FILEIO_QUERYINFO,
        KernelEvent.FILEIO_FSCONTROL,
        KernelEvent.FILEIO_DLETEPATH,
        KernelEvent.FILEIO_RENAMEPATH,
        KernelEvent.FILEIO_SETLINKPATH);
    agrees(
        "IoSize", FileOperation.TRANSFER::size, KernelEvent.FILEIO_READ, KernelEvent.FILEIO_WRITE);
    agrees("IrpPtr", FileOperation.END_IRP, KernelEvent.FILEIO_OPERATIONEND);
  }

  private void operation(FileOperation operation, int... hooks) {
    agrees("IrpPtr", (_, _) -> operation.irp(), hooks);
    agrees("TTID", operation::threadId, hooks);
  }

  @Test
  void placesOfStacks() {
    int[] stacks = {
      KernelEvent.STACKWALK_STACK,
      KernelEvent.STACKWALK_STACKKEYKERNEL,
      KernelEvent.STACKWALK_STACKKEYUSER
    };
    agrees("EventTimeStamp", Stack.EVENT_TIME_STAMP, stacks);
    agrees("StackProcess", Stack.PROCESS_ID, stacks);
    agrees("StackThread", Stack.THREAD_ID, stacks);
    agrees(
        "StackKey",
        Stack.FRAMES,
        KernelEvent.STACKWALK_STACKKEYKERNEL,
        KernelEvent.STACKWALK_STACKKEYUSER);
  }
}
