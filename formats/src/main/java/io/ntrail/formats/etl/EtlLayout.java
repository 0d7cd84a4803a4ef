package io.ntrail.formats.etl;

/** Offsets, flags and limits of {@code WMI_BUFFER_HEADER} and the record headers. */
final class EtlLayout {
  private EtlLayout() {}

  /** sizeof(WMI_BUFFER_HEADER). */
  static final int BUFFER_HEADER = 0x48;

  static final int SavedOffset = 0x04;
  static final int CurrentOffset = 0x08;
  static final int ReferenceCount = 0x0C;
  static final int TimeStamp = 0x10;
  static final int SequenceNumber = 0x18;
  static final int ProcessorIndex = 0x28;
  static final int LoggerId = 0x2A;
  static final int State = 0x2C;
  static final int Offset = 0x30;
  static final int BufferFlag = 0x34;
  static final int BufferType = 0x36;

  static final int ETW_BUFFER_FLAG_EVENTS_LOST = 0x02;
  static final int ETW_BUFFER_FLAG_BUFFER_LOST = 0x04;
  static final int ETW_BUFFER_FLAG_PROCESSOR_INDEX = 0x20;
  static final int ETW_BUFFER_FLAG_COMPRESSED = 0x40;

  static final int ETW_BUFFER_TYPE_HEADER = 4;
  static final int ETW_BUFFER_TYPE_MAXIMUM = 7;

  /** EtwBufferStateMaximum and a little room: larger values are garbage. */
  static final int STATE_MAXIMUM = 7;

  /** Larger than any session's buffers (16 MB since Windows 8). */
  static final int BUFFER_MAXIMUM = 64 << 20;

  /** Processor index bits of ETW_BUFFER_CONTEXT. */
  static final int PROCESSOR_MASK = 0x7FF;

  static final int EVENT_HEADER_FLAG_EXTENDED_INFO = 0x0001;

  static final int TRACE_MESSAGE_SEQUENCE = 0x01;
  static final int TRACE_MESSAGE_GUID = 0x02;
  static final int TRACE_MESSAGE_COMPONENTID = 0x04;
  static final int TRACE_MESSAGE_TIMESTAMP = 0x08;
  static final int TRACE_MESSAGE_SYSTEMINFO = 0x20;
  static final int TRACE_MESSAGE_POINTER32 = 0x40;
  static final int TRACE_MESSAGE_POINTER64 = 0x80;
}
