package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The 39 byte strings of {@code record-vectors.jsonl} with the members that another project's tests
 * expect in them.
 *
 * <p>Eight go through our readers member by member: the buffer header, the six record headers and
 * the log file header. The other 31 are payloads, for which there is no decoder yet: each is put
 * into a record, and what the record cursor calls its payload is decoded by hand with the offsets
 * in {@link #PAYLOADS}. There, only sizes and the fields named in the table are checked; left out
 * are enumerations, the SID of {@code Kernel_ProcessV4TypeGroup1}, and members after strings of
 * variable length.
 */
@EnabledIf(value = "present", disabledReason = "no shared vectors on this machine")
class RecordVectorsTest {
  /** Case, bytes, then member:type@offset; w is UTF-16 text, a 8-bit text, both up to a NUL. */
  private static final String PAYLOADS =
      """
      Kernel_EventTraceV2HeaderPartitionInfoExtensionTypeGroup 48 event_version_:u16@0\
       reserved:u16@2 partition_type:u32@4 qpc_offset_from_root:u64@8
      Kernel_EventTraceV2HeaderExtensionTypeGroup 36 group_mask_1:u32@0 group_mask_2:u32@4\
       group_mask_3:u32@8 group_mask_4:u32@12 group_mask_5:u32@16 group_mask_6:u32@20\
       group_mask_7:u32@24 group_mask_8:u32@28 kernel_event_version:u32@32
      Kernel_PerfinfoV2SampledProfileEventView 16 instruction_pointer:u64@0 thread_id:u32@8\
       count:u16@12 reserved:u16@14
      Kernel_PerfinfoV2PmcCounterProfileEventView 16 instruction_pointer:u64@0 thread_id:u32@8\
       profile_source:u16@12
      Kernel_PerfinfoV2PmcCounterConfigEventView 68 counter_count:u32@0 counter_name[0]:w@4\
       counter_name[1]:w@42
      Kernel_PerfinfoV2SampledProfileIntervalEventView 24 source:u32@0 old_interval:u32@4\
       new_interval:u32@8 source_name:w@12
      Kernel_PerfinfoV2PmcCounterCorruptionEventView 20 processor_number:u32@0 counter_count:u32@4\
       counter_status0).profile_source:u32@8 counter_status0).last_known_good_timestamp:u64@12
      Kernel_StackwalkV2StackEventView 120 event_timestamp:u64@0 process_id:u32@8 thread_id:u32@12\
       stack_address[0]:u64@16 stack_address[1]:u64@24 stack_address[12]:u64@112
      Kernel_StackwalkV2KeyEventView 24 event_timestamp:u64@0 process_id:u32@8 thread_id:u32@12\
       stack_key:u64@16
      Kernel_StackwalkV2TypeGroup1EventView 80 stack_key:u64@0 stack_address[0]:u64@8\
       stack_address[8]:u64@72
      Kernel_ImageV2LoadEventView 124 image_base:u64@0 image_size:u64@8 process_id:u32@16\
       image_checksum:u32@20 time_date_stamp:u32@24 signature_level:u8@28 signature_type:u8@29\
       default_base:u64@32 file_name:w@56
      Kernel_ProcessV4TypeGroup1EventView 179 unique_process_key:u64@0 process_id:u32@8\
       parent_id:u32@12 session_id:u32@16 exit_status:u32@20 directory_table_base:u64@24\
       flags:u32@32
      Kernel_ProcessV2TypeGroup2EventView 104 process_id:u32@0 page_fault_count:u32@4\
       handle_count:u32@8 reserved:u32@12 peak_virtual_size:u64@16 peak_working_set_size:u64@24\
       peak_pagefile_usage:u64@32 quota_peak_paged_pool_usage:u64@40\
       quota_peak_non_paged_pool_usage:u64@48 virtual_size:u64@56 working_set_size:u64@64\
       pagefile_usage:u64@72 quota_paged_pool_usage:u64@80 quota_non_paged_pool_usage:u64@88\
       private_page_count:u64@96
      Kernel_ThreadV3TypeGroup1EventView 96 process_id:u32@0 thread_id:u32@4 stack_base:u64@8\
       stack_limit:u64@16 user_stack_base:u64@24 user_stack_limit:u64@32 affinity:u64@40\
       win32_start_addr:u64@48 teb_base:u64@56 sub_process_tag:u32@64 base_priority:u8@68\
       page_priority:u8@69 io_priority:u8@70 flags:u8@71
      Kernel_ThreadV4TypeGroup1EventView 96 process_id:u32@0 thread_id:u32@4 stack_base:u64@8\
       stack_limit:u64@16 user_stack_base:u64@24 user_stack_limit:u64@32 affinity:u64@40\
       win32_start_addr:u64@48 teb_base:u64@56 sub_process_tag:u32@64 base_priority:u8@68\
       page_priority:u8@69 io_priority:u8@70 flags:u8@71 thread_name:w@72
      Kernel_ThreadV4ContextSwitchEventView 24 new_thread_id:u32@0 old_thread_id:u32@4\
       new_thread_priority:u8@8 old_thread_priority:u8@9 previous_c_state:u8@10 spare_byte:u8@11\
       old_thread_wait_reason:u8@12 thread_flags:u8@13 old_thread_state:u8@14\
       old_thread_wait_ideal_processor:u8@15 new_thread_wait_time:u32@16 reserved:u32@20
      Kernel_ThreadV2SetNameEventView 70 process_id:u32@0 thread_id:u32@4 thread_name:w@8
      Kernel_SystemConfigV3CpuEventView 828 mhz:u32@0 number_of_processors:u32@4 mem_size:u32@8\
       page_size:u32@12 allocation_granularity:u32@16 computer_name:w@20
      Kernel_SystemConfigV2PhysicalDiskEventView 568 disk_number:u32@0 bytes_per_sector:u32@4\
       sectors_per_track:u32@8 tracks_per_cylinder:u32@12 cylinders:u64@16 scsi_port:u32@24\
       scsi_path:u32@28 scsi_target:u32@32 scsi_lun:u32@36 manufacturer:w@40
      Kernel_SystemConfigV2LogicalDiskEventView 112 start_offset:u64@0 partition_size:u64@8\
       disk_number:u32@16 size:u32@20 drive_letter:w@28 partition_number:u32@40\
       sectors_per_cluster:u32@44 bytes_per_sector:u32@48 number_of_free_clusters:u64@56\
       total_number_of_clusters:u64@64 file_system:w@72
      Kernel_SystemConfigV5PnpEventView 388 upper_filters_count:u32@16 lower_filters_count:u32@20\
       dev_status:u32@24 dev_problem:u32@28 device_id:w@32
      Xperf_ImageIdV2InfoEventView 50 image_base:u64@0 image_size:u64@8 process_id:u32@16\
       time_date_stamp:u32@20 original_file_name:w@24
      Xperf_ImageIdV2DbgIdPdbInfoEventView 91 image_base:u64@0 process_id:u32@8 age:u32@28\
       pdb_file_name:a@32
      Xperf_SysConfigExV0BuildInfoEventView 150 install_date:u64@0 build_lab:w@8
      Xperf_SysConfigExV0SysPathsEventView 64 system_directory:w@0 system_windows_directory:w@40
      Xperf_SysConfigExV0VolumeMappingEventView 58 nt_path:w@0 dos_path:w@50
      VsDiagHub_TargetProfilingStartedV2EventView 16 process_id:u32@0 timestamp:u64@8
      VsDiagHub_TargetProfilingStoppedV1EventView 12 process_id:u32@0 timestamp:u64@4
      VsDiagHub_MachineInfoV0EventView 64 name:w@0 os_description:w@26
      VsDiagHub_CounterInfoV0EventView 20 timestamp:u64@4
      SnailProfiler_ProfileTarget 4 process_id:u32@0
      """;

  private static final Set<String> HEADERS =
      Set.of(
          "WmiBufferHeader",
          "SystemTraceHeader",
          "PerfInfoTraceHeader",
          "PerfInfoTraceHeaderExtPmc",
          "PerfInfoTraceHeaderExtPebsExtPmc",
          "FullHeaderTraceHeader",
          "EventHeaderTraceHeader",
          "Kernel_EventTraceV2HeaderEventView");

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Vector(String name, byte[] bytes, Map<String, String> expect) {
    /** The members that are in {@code got}, so that a difference shows all of them. */
    void check(Map<String, String> got) {
      Map<String, String> expected = new TreeMap<>(expect);
      expected.keySet().retainAll(got.keySet());
      assertEquals(expected, new TreeMap<>(got), name);
    }

    /** Like {@link #check}, and nothing else but {@code leftOut} may be expected. */
    void checkAll(Map<String, String> got, String... leftOut) {
      check(got);
      Set<String> unchecked = new LinkedHashSet<>(expect.keySet());
      unchecked.removeAll(got.keySet());
      assertEquals(new LinkedHashSet<>(Arrays.asList(leftOut)), unchecked, name);
    }
  }

  static boolean present() {
    return TestData.folder().isPresent();
  }

  private static List<Vector> vectors() {
    List<Vector> vectors = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(TestData.file("etl/record-vectors.jsonl"))) {
        vectors.add(parse(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return vectors;
  }

  private static Vector parse(String line) throws IOException {
    String name = "";
    byte[] bytes = {};
    Map<String, String> expect = new LinkedHashMap<>();
    try (JsonParser json = new JsonFactory().createParser(line)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        switch (field) {
          case "case" -> name = json.getText();
          case "bytesHex" -> bytes = HexFormat.of().parseHex(json.getText());
          case "expect" -> {
            while (json.nextToken() == JsonToken.START_ARRAY) {
              json.nextToken();
              String member = json.getText();
              json.nextToken();
              // Texts are C++ literals.
              expect.put(member, json.getText().replace("\\\\", "\\").replace("\"", ""));
              json.nextToken();
            }
          }
          default -> json.skipChildren();
        }
      }
    }
    return new Vector(name, bytes, expect);
  }

  private static Vector vector(String name) {
    return vectors().stream().filter(v -> v.name.equals(name)).findFirst().orElseThrow();
  }

  /** Puts bytes at the start of a data buffer and looks at the record that they are. */
  private static void inBuffer(EtlRecord bytes, Consumer<RecordCursor> look) {
    EtlSettings settings = EtlSettings.windows11().bufferSize(4096);
    byte[] file = new EtlWriter(settings).buffer(EtlBuffer.of(3, 0x1C, 1).add(bytes)).toByteArray();
    Gaps gaps = new Gaps();
    try (EtlFile etl = EtlFile.open(InputFile.of(file, "vector"), gaps);
        RecordCursor cursor = etl.cursor(gaps)) {
      cursor.open(1);
      assertTrue(cursor.next());
      look.accept(cursor);
      assertFalse(cursor.next());
    }
    assertEquals(List.of(), gaps.list());
  }

  /** A header without its payload: zeros up to the size that it announces. */
  private static void asRecord(Vector vector, String size, Consumer<RecordCursor> look) {
    int bytes = Integer.parseInt(String.valueOf(vector.expect.get(size)));
    inBuffer(EtlRecords.garbage(Arrays.copyOf(vector.bytes, bytes + 7 & ~7)), look);
  }

  @Test
  void everyVectorIsLookedAt() {
    Set<String> names = new LinkedHashSet<>(HEADERS);
    payloadLines().forEach(line -> names.add(line.split(" ", 2)[0]));
    Set<String> given = new LinkedHashSet<>();
    vectors().forEach(v -> given.add(v.name));
    assertEquals(39, given.size());
    assertEquals(given, names);
  }

  @Test
  void bufferHeader() {
    Vector v = vector("WmiBufferHeader");
    BufferHeader h = BufferHeader.read(Bytes.copyOf(v.bytes, v.name), 0);
    Map<String, String> got = new TreeMap<>();
    put(got, "wnode.buffer_size", h.bufferSize());
    put(got, "wnode.saved_offset", h.savedOffset());
    put(got, "wnode.timestamp", h.timeStamp());
    put(got, "wnode.sequence_number", h.sequenceNumber());
    put(got, "wnode.client_context.processor_index", h.processorIndex());
    put(got, "wnode.client_context.logger_id", h.loggerId());
    put(got, "wnode.state", h.state());
    put(got, "offset", h.offset());
    put(got, "buffer_flag.count", Integer.bitCount(h.flags()));
    got.put("buffer_type", h.type() == 4 ? "etw_buffer_type::header" : "");
    // Unused members: our reader leaves them out.
    v.checkAll(
        got,
        "wnode.current_offset",
        "wnode.reference_count",
        "wnode.clock",
        "start_time",
        "start_perf_clock");
    assertFalse(h.compressed());
  }

  @Test
  void systemHeader() {
    Vector v = vector("SystemTraceHeader");
    asRecord(
        v,
        "packet.size",
        r -> {
          Map<String, String> got = new TreeMap<>();
          put(got, "version", r.version());
          got.put("header_type", r.kind() == RecordKind.SYSTEM64 ? "system64" : "");
          put(got, "packet.size", r.size());
          put(got, "packet.type", r.opcode());
          got.put("packet.group", r.hookId() >> 8 == 0 ? "header" : "");
          put(got, "thread_id", r.threadId());
          put(got, "process_id", r.processId());
          put(got, "system_time", r.ticks());
          put(got, "kernel_time", r.processorTime() & 0xFFFF_FFFFL);
          put(got, "user_time", r.processorTime() >>> 32);
          v.checkAll(got, "header_flags");
          assertEquals(332, r.payloadLength());
        });
  }

  @ParameterizedTest
  @MethodSource("perfInfoCases")
  void perfInfoHeader(String name) {
    Vector v = vector(name);
    asRecord(
        v,
        "packet.size",
        r -> {
          Map<String, String> got = new TreeMap<>();
          put(got, "version", r.version());
          got.put("header_type", r.kind() == RecordKind.PERFINFO64 ? "perfinfo64" : "");
          put(got, "packet.size", r.size());
          put(got, "packet.type", r.opcode());
          got.put("packet.group", r.hookId() >> 8 == 0x0F ? "perfinfo" : "thread");
          got.put("has_ext_pebs", String.valueOf(r.hasPebsIndex()));
          if (r.hasPebsIndex()) {
            put(got, "ext_pebs", r.pebsIndex());
          }
          put(got, "ext_pmc_count", r.pmcCount());
          for (int i = 0; i < r.pmcCount(); i++) {
            put(got, "ext_pmc[" + i + "]", r.pmc(i));
          }
          v.checkAll(got, "header_flags");
          assertEquals(v.bytes.length, r.payloadOffset() - r.offset());
          assertEquals(r.offset() + r.size(), r.payloadOffset() + r.payloadLength());
          assertEquals(RecordCursor.NO_ID, r.threadId());
          assertEquals(RecordCursor.NO_ID, r.processId());
        });
  }

  static List<String> perfInfoCases() {
    return List.of(
        "PerfInfoTraceHeader", "PerfInfoTraceHeaderExtPmc", "PerfInfoTraceHeaderExtPebsExtPmc");
  }

  @Test
  void fullHeader() {
    Vector v = vector("FullHeaderTraceHeader");
    asRecord(
        v,
        "size",
        r -> {
          Map<String, String> got = new TreeMap<>();
          put(got, "size", r.size());
          got.put("header_type", r.kind() == RecordKind.FULL64 ? "full_header64" : "");
          put(got, "trace_class.type", r.opcode());
          put(got, "trace_class.level", r.level());
          put(got, "trace_class.version", r.version());
          put(got, "thread_id", r.threadId());
          put(got, "process_id", r.processId());
          put(got, "timestamp", r.ticks());
          put(got, "processor_time", r.processorTime());
          v.checkAll(got, "header_flags");
          assertEquals("b3e675d7-2554-4f18-830b-2762732560de", r.provider().toString());
          assertEquals(388 - 48, r.payloadLength());
        });
  }

  @Test
  void eventHeader() {
    Vector v = vector("EventHeaderTraceHeader");
    asRecord(
        v,
        "size",
        r -> {
          Map<String, String> got = new TreeMap<>();
          put(got, "size", r.size());
          got.put("header_type", r.kind() == RecordKind.EVENT64 ? "event_header64" : "");
          put(got, "flags", r.eventFlags());
          put(got, "event_property", r.eventProperty());
          put(got, "thread_id", r.threadId());
          put(got, "process_id", r.processId());
          put(got, "timestamp", r.ticks());
          put(got, "event_descriptor.id", r.id());
          put(got, "event_descriptor.version", r.version());
          put(got, "event_descriptor.channel", r.channel());
          put(got, "event_descriptor.level", r.level());
          put(got, "event_descriptor.opcode", r.opcode());
          put(got, "event_descriptor.task", r.task());
          put(got, "event_descriptor.keyword", r.keyword());
          put(got, "processor_time", r.processorTime());
          v.checkAll(got, "header_flags");
          assertEquals("9e5f9046-43c6-4f62-ba13-7b19896253ff", r.provider().toString());
          assertEquals(20, r.payloadLength());
        });
  }

  @Test
  void logFileHeaderWithItsTimeZone() {
    Vector v = vector("Kernel_EventTraceV2HeaderEventView");
    LogFileHeader h = LogFileHeader.read(Bytes.copyOf(v.bytes, v.name), 0, v.bytes.length, 8);
    Map<String, String> got = new TreeMap<>();
    put(got, "buffer_size", h.bufferSize());
    put(got, "os_version_major", h.osMajor());
    put(got, "os_version_minor", h.osMinor());
    put(got, "sp_version_major", h.logMajor());
    put(got, "sp_version_minor", h.logMinor());
    put(got, "provider_version", h.providerVersion());
    put(got, "number_of_processors", h.processors());
    put(got, "end_time", h.endTime());
    put(got, "timer_resolution", h.timerResolution());
    put(got, "max_file_size", h.maximumFileSize());
    put(got, "log_file_mode.count", Integer.bitCount(h.logFileMode()));
    put(got, "buffers_written", h.buffersWritten());
    put(got, "start_buffers", h.startBuffers());
    put(got, "pointer_size", h.pointerSize());
    put(got, "events_lost", h.eventsLost());
    put(got, "cpu_speed", h.cpuSpeedInMHz());
    TimeZoneInformation zone = h.timeZone();
    String z = "time_zone_information.";
    put(got, z + "bias", zone.bias());
    got.put(z + "standard_name", zone.standardName());
    date(got, z + "standard_date.", zone.standardDate());
    put(got, z + "standard_bias", zone.standardBias());
    got.put(z + "daylight_name", zone.daylightName());
    date(got, z + "daylight_date.", zone.daylightDate());
    got.put(z + "daylight_bias", String.valueOf(zone.daylightBias()));
    put(got, "boot_time", h.bootTime());
    put(got, "perf_freq", h.perfFreq());
    put(got, "start_time", h.startTime());
    put(got, "reserved_flags", h.clockType());
    put(got, "buffers_lost", h.buffersLost());
    got.put("session_name", h.sessionName());
    got.put("file_name", h.logFileName());
    got.put(z + "bias", String.valueOf(zone.bias()));
    v.checkAll(got, "logger_name", "log_file_name");
    assertTrue(h.finalised());
  }

  @ParameterizedTest
  @MethodSource("payloadLines")
  void payloadIsWhereTheCursorSays(String line) {
    String[] parts = line.split(" ", -1);
    Vector v = vector(parts[0]);
    assertEquals(Integer.parseInt(parts[1]), v.bytes.length, "bytes");
    inBuffer(
        EtlRecords.perfInfo(8, 0x0F00).time(5).counters(1, 2).payload(v.bytes).build(),
        r -> checkPayload(v, parts, r));
    inBuffer(
        EtlRecords.system(4, 0x0B00).time(5).payload(v.bytes).build(),
        r -> checkPayload(v, parts, r));
    if (v.expect.containsKey("stack_size")) {
      int head = v.expect.containsKey("stack_key") ? 8 : 16;
      assertEquals(v.expect.get("stack_size"), String.valueOf((v.bytes.length - head) / 8));
    }
  }

  private static void checkPayload(Vector v, String[] parts, RecordCursor r) {
    assertEquals(v.bytes.length, r.payloadLength());
    Map<String, String> got = new TreeMap<>();
    for (int i = 2; i < parts.length; i++) {
      int colon = parts[i].lastIndexOf(':');
      int sign = parts[i].lastIndexOf('@');
      int at = r.payloadOffset() + Integer.parseInt(parts[i].substring(sign + 1));
      got.put(
          parts[i].substring(0, colon),
          field(r.bytes(), parts[i].substring(colon + 1, sign), at, r.offset() + r.size()));
    }
    v.check(got);
    assertEquals(parts.length - 2, got.size());
    assertTrue(v.expect.keySet().containsAll(got.keySet()), () -> got + " of " + v.expect);
  }

  private static String field(Bytes bytes, String type, int at, int end) {
    return switch (type) {
      case "u8" -> String.valueOf(bytes.u8(at));
      case "u16" -> String.valueOf(bytes.u16(at));
      case "u32" -> String.valueOf(bytes.u32(at));
      case "u64" -> Long.toUnsignedString(bytes.i64(at));
      case "w" -> bytes.utf16z(at, end);
      case "a" -> bytes.utf8z(at, end);
      default -> throw new IllegalArgumentException(type);
    };
  }

  static List<String> payloadLines() {
    return Arrays.asList(PAYLOADS.strip().split("\n", -1));
  }

  private static void put(Map<String, String> got, String name, long value) {
    got.put(name, Long.toUnsignedString(value));
  }

  private static void date(
      Map<String, String> got, String name, TimeZoneInformation.SystemTime date) {
    put(got, name + "year", date.year());
    put(got, name + "month", date.month());
    put(got, name + "day_of_week", date.dayOfWeek());
    put(got, name + "day", date.day());
    put(got, name + "hour", date.hour());
    put(got, name + "minute", date.minute());
    put(got, name + "second", date.second());
    put(got, name + "milliseconds", date.milliseconds());
  }
}
