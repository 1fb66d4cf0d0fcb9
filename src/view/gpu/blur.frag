// One direction of a soft blur; the wide shadow is blurred more than the touch.

uniform sampler2D source;
uniform vec2 step_;

in vec2 uvs;

layout (location = 0) out vec4 outColor;

void main()
{
    vec2 sum = vec2(0.0);
    vec2 total = vec2(0.0);
    for (int i = -5; i <= 5; i++)
    {
        vec2 weight = exp(-float(i * i) / vec2(10.0, 0.9));
        sum += weight * texture(source, uvs + step_ * float(i) * 1.5).rg;
        total += weight;
    }
    outColor = vec4(sum / total, 0.0, 1.0);
}
