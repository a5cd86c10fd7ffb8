"""The buses: how the news travels from whoever makes it to whoever watches."""
