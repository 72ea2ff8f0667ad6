"""What steps read: rows within filters, numbers, calendars and periods."""
