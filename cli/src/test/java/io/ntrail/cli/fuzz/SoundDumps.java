package io.ntrail.cli.fuzz;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.dump.MinidumpBuilder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Small sound dumps of several kinds of processes, to be changed. */
final class SoundDumps {
  private static final long PROGRAM = 0x40_0000L;
  private static final long STACK = 0x10_0000L;
  private static final long TEB = 0x7F_D000L;
  private static final long TEB32 = 0x7F_F000L;
  private static final long RESERVED = 0x20_0000L;
  private static final int STACK_SIZE = 0x400;

  private SoundDumps() {}

  /** A function with a frame pointer that calls another, at 0x10 and 0x30 of the program. */
  private static byte[] code() {
    byte[] code = new byte[0x60];
    byte[] caller = HexFormat.of().parseHex("5589E583EC10E815000000C9C3");
    byte[] called = HexFormat.of().parseHex("5589E58B01C9C20400");
    System.arraycopy(caller, 0, code, 0x10, caller.length);
    System.arraycopy(called, 0, code, 0x30, called.length);
    return code;
  }

  /** The stack of a thread at 0x33 of the program, with a chain of handlers that ends. */
  private static byte[] stack() {
    byte[] stack = new byte[STACK_SIZE];
    LittleEndian.putU32(stack, 0x20, STACK + 0x50);
    LittleEndian.putU32(stack, 0x24, PROGRAM + 0x101B);
    LittleEndian.putU32(stack, 0x50, 0);
    LittleEndian.putU32(stack, 0x54, 0);
    LittleEndian.putU32(stack, 0x60, STACK + 0x80);
    LittleEndian.putU32(stack, 0x64, PROGRAM + 0x1010);
    LittleEndian.putU32(stack, 0x80, 0xFFFF_FFFFL);
    LittleEndian.putU32(stack, 0x84, PROGRAM + 0x1030);
    return stack;
  }

  private static byte[] teb32() {
    byte[] teb = new byte[0x100];
    LittleEndian.putU32(teb, 0, STACK + 0x60);
    LittleEndian.putU32(teb, 4, STACK + STACK_SIZE);
    LittleEndian.putU32(teb, 8, STACK);
    return teb;
  }

  private static byte[] context32() {
    return MinidumpBuilder.x86(PROGRAM + 0x1033, STACK + 0x20, STACK + 0x20);
  }

  /** A crash of a 32-bit program. */
  static byte[] x86() {
    byte[] context = context32();
    return new MinidumpBuilder()
        .system(0, 6, 1, 7601)
        .process(77)
        .module(PROGRAM, 0x4000, 1, "C:\\x\\a.exe")
        .module(0x7700_0000L, 0x10_0000, 2, "C:\\Windows\\System32\\ntdll.dll")
        .unloaded(0x6000_0000L, 0x1000, "gone.dll")
        .thread(7, TEB32, STACK, stack(), context)
        .thread(8, 0, STACK + 0x1000, new byte[0x40], MinidumpBuilder.x86(0x6000_0010L, 0, 0))
        .memory(PROGRAM + 0x1000, code())
        .memory(TEB32, teb32())
        .memoryInfo(PROGRAM, 0x4000, 0x1000, 0x20, 0x100_0000)
        .exception(7, 0xC000_0005L, PROGRAM + 0x1033, context, 1, 0x18)
        .toByteArray();
  }

  /** A 32-bit process that was saved from the 64-bit side. */
  static byte[] wow64() {
    byte[] teb = new byte[0x1500];
    LittleEndian.putU64(teb, 0, TEB32);
    LittleEndian.putU64(teb, 0x1488, RESERVED);
    byte[] reserved = new LittleEndian().u32(0x14C).bytes(context32()).toByteArray();
    return new MinidumpBuilder()
        .system(9, 10, 0, 19045)
        .process(78)
        .module(PROGRAM, 0x4000, 1, "C:\\x\\a.exe")
        .module(0x7FF9_0000_0000L, 0x10_0000, 2, "C:\\Windows\\System32\\ntdll.dll")
        .module(0x7500_0000L, 0x1_0000, 3, "C:\\Windows\\System32\\wow64cpu.dll")
        .module(0x7700_0000L, 0x10_0000, 4, "C:\\Windows\\SysWOW64\\ntdll.dll")
        .thread(7, TEB, 0x90_0000L, new byte[0x100], MinidumpBuilder.x64(0x7500_1000L, 1, 2, 3, 4))
        .memory64(TEB, teb)
        .memory64(TEB32, teb32())
        .memory64(RESERVED, reserved)
        .memory64(STACK, stack())
        .memory64(PROGRAM + 0x1000, code())
        .toByteArray();
  }

  private static LittleEndian table(int header, int entry, int entries) {
    return new LittleEndian().u32(header).u32(entry).u32(entries);
  }

  /** A dump of x64 with a stream of nearly every kind. */
  static byte[] streams() {
    long made = 0x5_0000L;
    byte[] context = MinidumpBuilder.x64(made + 0x10, 1, 2, 3, 4, STACK, 6, 7);
    MinidumpBuilder dump = new MinidumpBuilder().system(9, 10, 0, 22000);
    int text = dump.string("Event");
    byte[] handles =
        table(16, 40, 1)
            .u32(0)
            .u64(4)
            .u32(text)
            .u32(text)
            .zeros(16)
            .u32(dump.put(table(0, 1, 4).u32(9).toByteArray()))
            .u32(0)
            .toByteArray();
    byte[] functions =
        table(24, 32, 8)
            .u32(12)
            .u32(1)
            .u32(0)
            .u64(made)
            .u64(made + 0x1000)
            .u64(made)
            .u32(1)
            .u32(0)
            .zeros(8)
            .u32(0x10)
            .u32(0x40)
            .u32(0x80)
            .toByteArray();
    byte[] threads = table(12, 64, 1).u32(7).zeros(60).toByteArray();
    byte[] token = table(16, 0, 1).u32(0).u32(24).u32(78).u64(1).zeros(8).toByteArray();
    byte[] operations = table(16, 288, 0).u32(0).toByteArray();
    byte[] memory = new byte[0x100];
    memory[0x10] = (byte) 0xC3;
    memory[0x80] = 1;
    return dump
        .module(0x7FF7_0000_0000L, 0x1_0000, 1, "C:\\x\\b.exe")
        .thread(7, 0, STACK, stack(), context)
        .threadName(7, "worker")
        .memory(made, memory)
        .memoryInfo(made, 0x1000, 0x1000, 0x40, 0x2_0000)
        .exception(7, 0xC000_0409L, made + 0x10, context, 7)
        .stream(10, "a comment\0".getBytes(StandardCharsets.US_ASCII))
        .stream(11, "wide\0".getBytes(StandardCharsets.UTF_16LE))
        .stream(12, handles)
        .stream(13, functions)
        .stream(15, new LittleEndian().u32(1364).u32(0xFFFF).u32(79).zeros(1352).toByteArray())
        .stream(17, threads)
        .stream(18, operations)
        .stream(19, token)
        .stream(21, new byte[492])
        .stream(22, new byte[152])
        .stream(23, new byte[16])
        .stream(0x4767_0001, new LittleEndian().u32(3).u32(7).u32(7).toByteArray())
        .stream(0x4767_0002, new byte[776])
        .stream(0x4767_0009, "1000-2000 r-xp 0 0:0 0 /x\n".getBytes(StandardCharsets.US_ASCII))
        .stream(0x4350_0001, new LittleEndian().u32(1).zeros(48).toByteArray())
        .stream(0x4B6B_0001, new byte[64])
        .toByteArray();
  }
}
