package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.analysis.naming.Methods;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/**
 * Reads which methods the .NET runtime compiled: MethodLoad and MethodUnload (141-144) of the
 * runtime provider, MethodDCStart and MethodDCEnd of its rundown.
 *
 * <p>ModuleLoad and ModuleUnload (152, 153), and 153, 154 of the rundown, have the path of the
 * module of methods: u64 ModuleID, u64 AssemblyID, u32 flags, u32 0, then the path in UTF-16.
 *
 * <p>The layout is the same for all of them (versions 0 to 2): u64 MethodID, u64 ModuleID, u64
 * start address, u32 size, u32 token, u32 flags, then in the verbose ones (143, 144) three strings
 * of UTF-16: class, method, signature.
 */
final class MethodEvents {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final Guid RUNDOWN = Guid.parse("a669021c-c450-4609-a035-5af59af4df18");

  private static final int START_ADDRESS = 16;
  private static final int SIZE = 24;
  private static final int NAMES = 36;
  private static final int MODULE_ID = 8;
  private static final int MODULE_PATH = 24;

  /** Names are cut to this many characters: generic classes can fill pages. */
  private static final int LONGEST = 1000;

  private MethodEvents() {}

  /** Notes a record if it is about a method or a module. */
  static void read(RecordCursor record, long key, Methods into) {
    int id = record.id();
    boolean isModule = id >= 152 && id <= 154;
    if (!isModule && (id < 141 || id > 144)) {
      return;
    }
    boolean runtime =
        record.providerLow() == RUNTIME.low() && record.providerHigh() == RUNTIME.high();
    if (!runtime
        && !(record.providerLow() == RUNDOWN.low() && record.providerHigh() == RUNDOWN.high())) {
      return;
    }
    if (isModule) {
      // The rundown's 152 is a domain's module, the runtime's 154 an assembly.
      if (id == 153 || id == (runtime ? 152 : 154)) {
        module(record, into);
      }
      return;
    }
    int length = record.payloadLength();
    if (length < NAMES) {
      return;
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    boolean first = id == 141 || id == 143;
    byte kind =
        runtime
            ? first ? Lifetimes.START : Lifetimes.END
            : first ? Lifetimes.RUNDOWN_START : Lifetimes.RUNDOWN_END;
    int name = id >= 143 ? name(record, at + length, into) : -1;
    into.note(
        record.processId(), bytes.i64(at + START_ADDRESS), bytes.u32(at + SIZE), key, kind, name);
  }

  private static void module(RecordCursor record, Methods into) {
    int length = record.payloadLength();
    if (length <= MODULE_PATH || !into.keepsModules()) {
      return;
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    int from = at + MODULE_PATH;
    int chars = Math.min(bytes.utf16Length(from, at + length), LONGEST);
    if (chars > 0) {
      into.noteModule(record.processId(), bytes.i64(at), bytes.utf16(from, chars));
    }
  }

  private static int name(RecordCursor record, int end, Methods into) {
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    int from = at + NAMES;
    int classLength = bytes.utf16Length(from, end);
    int method = Math.min(end, from + 2 * classLength + 2);
    int methodLength = bytes.utf16Length(method, end);
    if (methodLength == 0) {
      return -1;
    }
    String text = bytes.utf16(method, Math.min(methodLength, LONGEST));
    if (classLength > 0) {
      text = bytes.utf16(from, Math.min(classLength, LONGEST)) + "." + text;
    }
    return into.name(record.processId(), bytes.i64(at + MODULE_ID), text);
  }
}
